import { cleanup, fireEvent, render, screen } from '@testing-library/preact'
import { afterEach, expect, test, vi } from 'vitest'
import { CommandsDialog } from './CommandsDialog.tsx'
import { DeskContext } from './DeskContext.ts'
import type { Desk } from './desk.ts'
import { en } from './i18n/locales/en.ts'
import { createKeys } from './keys.ts'

afterEach(cleanup)

function setUp() {
  const keys = createKeys()
  const [onNext, go] = [vi.fn(), vi.fn()]
  keys.bind(() => ({ j: onNext }))
  const desk = { keys, router: { go }, strings: en } as unknown as Desk
  render(
    <DeskContext.Provider value={desk}>
      <CommandsDialog pages={[{ href: '/desk/team', label: 'Team' }]} onClose={() => {}} />
    </DeskContext.Provider>,
  )
  const choose = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
  return { onNext, go, choose }
}

test('a command is found by a part of its name', async () => {
  setUp()
  fireEvent.input(screen.getByLabelText(en.keys.find), { target: { value: 'TEA' } })
  await vi.waitFor(() =>
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['Team']),
  )
})

test('a chosen command does what its key does, if that does anything on this page', async () => {
  const { onNext, choose } = setUp()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: en.keys.handBack }).disabled).toBe(true)
  choose(en.keys.next)
  await vi.waitFor(() => expect(onNext).toHaveBeenCalledOnce())
})

test('a chosen page is shown', async () => {
  const { go, choose } = setUp()
  choose('Team')
  await vi.waitFor(() => expect(go).toHaveBeenCalledWith('/desk/team'))
})
