import { cleanup, fireEvent, render, screen } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Person } from '../../contract/desk.ts'
import { DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { ConversationContext } from './ConversationContext.ts'
import { PersonPane } from './PersonPane.tsx'
import { createFakeDesk, olga } from './testing/fakeDesk.ts'

// happy-dom has no popovers.
HTMLElement.prototype.hidePopover = () => {}
afterEach(cleanup)

const mia = {
  id: 'k1',
  name: 'Mia',
  email: 'mia@shop.example',
  phone: '',
  mid: '',
  wid: '',
  createdAt: '2026-03-01T09:00:00',
  updatedAt: '',
}

async function setUp(person: Partial<Person>, role = 'agent') {
  const fake = createFakeDesk()
  const show = (changed: Partial<Person>) => {
    fake.person = { ...fake.person, ...changed }
    fake.update({ contact: fake.person.contact })
  }
  show(person)
  const thread = await fake.open()
  const current = { member: { ...olga, role } }
  const desk = {
    current,
    strings: en,
    format: createFormat('en', en),
    now: { value: Date.parse('2026-03-14T12:00:00') },
  }
  render(
    <DeskContext.Provider value={desk as unknown as Desk}>
      <ConversationContext.Provider value={{ thread, bot: undefined }}>
        <PersonPane isOpen={true} onClose={() => {}} />
      </ConversationContext.Provider>
    </DeskContext.Provider>,
  )
  return { fake, show, pane: screen.getByRole('complementary') }
}

test('a guest is called so once, and nobody has verified it', async () => {
  const { pane } = await setUp({})
  expect(pane.textContent?.match(/Guest/g)).toHaveLength(1)
  expect(pane.textContent).toContain('Not verified')
})

test('a contact is verified by the site, and since when it is signed in is shown as it changes', async () => {
  const { show, pane } = await setUp({ contact: mia, signedInSince: '2026-03-14T09:05:00' })
  expect(pane.textContent).toContain('Verified by your siteYour server has said who this is.')
  expect(pane.textContent).toContain('Signed in with a contact token since 9:05')
  show({ signedInSince: null })
  await screen.findByText('Not signed in at the moment.')
})

test('the address that a guest has left is claimed until a link has confirmed it', async () => {
  const address = 'guest@mail.example'
  const { show, pane } = await setUp({ email: { address, isConfirmed: false } })
  expect(pane.textContent).toContain(`Email${address}Claimed, not confirmed`)
  show({ email: { address, isConfirmed: true } })
  await screen.findByText('Confirmed by a link')
})

test('ratings are shown once there are some', async () => {
  const { show } = await setUp({})
  expect(screen.queryByText('Ratings')).toBeNull()
  show({ ratings: { up: 3, down: 1, last: 'down' } })
  const title = await screen.findByText('Ratings')
  expect(title.parentElement?.textContent).toBe('RatingsHelpful3Not helpful1LastNot helpful')
})

describe('what a member can do about a person', () => {
  const actions = () => [...document.querySelectorAll('#person-menu button')].map(({ textContent }) => textContent)
  const choose = (name: string) => {
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('#person-menu button')]
    fireEvent.click(buttons.find(({ textContent }) => textContent === name) as HTMLButtonElement)
    return screen.findByRole('dialog')
  }
  const confirm = (dialog: HTMLElement) => dialog.querySelector('.danger') as HTMLButtonElement

  test('depends on the role, and on whether it is a contact', async () => {
    const { show } = await setUp({ contact: mia, signedInSince: '2026-03-14T09:05:00' })
    expect(actions()).toEqual(['Sign out everywhere'])
    show({ contact: null, signedInSince: null })
    await vi.waitFor(() => expect(actions()).toEqual(['Block']))
    show({ isBlocked: true })
    await vi.waitFor(() => expect(actions()).toEqual([]))
    cleanup()
    await setUp({ contact: mia }, 'admin')
    expect(actions()).toEqual(['Export', 'Erase'])
  })

  test('is done after a question that says what will happen', async () => {
    const { fake } = await setUp({})
    const dialog = await choose('Block')
    expect(dialog.textContent).toContain('it is a new guest')
    expect(fake.calls('/block')).toEqual([])
    fireEvent.click(confirm(dialog))
    await vi.waitFor(() => expect(fake.calls('/block')).toHaveLength(1))
  })

  test('is not an erasure before the name is typed', async () => {
    const { fake } = await setUp({ contact: mia }, 'admin')
    const dialog = await choose('Erase')
    expect(confirm(dialog).disabled).toBe(true)
    fireEvent.input(screen.getByLabelText('Type “Mia” to confirm'), { target: { value: ' Mia ' } })
    await vi.waitFor(() => expect(confirm(dialog).disabled).toBe(false))
    fireEvent.click(confirm(dialog))
    await vi.waitFor(() => expect(fake.calls('/person')).toHaveLength(1))
  })
})
