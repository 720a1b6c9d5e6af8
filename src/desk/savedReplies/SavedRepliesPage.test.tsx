import { cleanup, fireEvent, render, screen, within } from '@testing-library/preact'
import { afterEach, expect, test, vi } from 'vitest'
import type { SavedReply } from '../../contract/desk.ts'
import { DeskAppContext, DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { en } from '../i18n/locales/en.ts'
import { SavedRepliesPage } from './SavedRepliesPage.tsx'
import { createSavedReplies } from './savedReplies.ts'

afterEach(cleanup)

const reply = (id: string, title: string, isShared: boolean): SavedReply => ({
  ...{ id, title, isShared, text: 'Hello' },
})

function setUp(role: 'admin' | 'agent') {
  const stored = [reply('1', 'Greeting', true), reply('2', 'Refund', false)]
  const requests: unknown[] = []
  const savedReplies = createSavedReplies({
    get: async () => ({ data: [...stored] }) as never,
    put: async (path, ...body) => void requests.push([path.replace(/[\w-]{36}$/, 'new'), ...body]) as never,
    delete: async path => void requests.push(path) as never,
  })
  const desk = { savedReplies, strings: en, current: { member: { role } } } as unknown as Desk
  render(
    <DeskAppContext.Provider value={desk}>
      <DeskContext.Provider value={desk}>
        <SavedRepliesPage />
      </DeskContext.Provider>
    </DeskAppContext.Provider>,
  )
  return requests
}

test('an agent writes and deletes its own, and reads the shared ones', async () => {
  const requests = setUp('agent')
  const [shared, own] = await screen.findAllByRole('listitem')
  expect(within(shared as HTMLElement).queryByRole('button')).toBeNull()
  fireEvent.click(within(own as HTMLElement).getByText('Delete'))
  fireEvent.click(within(screen.getByRole('dialog')).getByText('Delete'))
  await vi.waitFor(() => expect(requests).toEqual(['/saved-replies/2']))
  fireEvent.click(screen.getByText('New saved reply'))
  fireEvent.input(screen.getByLabelText('Title'), { target: { value: 'Thanks' } })
  fireEvent.input(screen.getByLabelText('Text'), { target: { value: 'Thanks, {{name|friend}}' } })
  expect(screen.queryByLabelText('For the whole team')).toBeNull()
  fireEvent.click(screen.getByText('Save'))
  const body = { title: 'Thanks', text: 'Thanks, {{name|friend}}', isShared: false }
  await vi.waitFor(() => expect(requests.at(-1)).toEqual(['/saved-replies/new', body]))
})

test('an admin edits the shared ones', async () => {
  const requests = setUp('admin')
  const [shared] = await screen.findAllByRole('listitem')
  fireEvent.click(within(shared as HTMLElement).getByText('Edit'))
  expect(screen.getByLabelText('For the whole team')).toHaveProperty('checked', true)
  // Escape loses nothing that is written.
  expect(fireEvent(screen.getByRole('dialog'), new Event('cancel', { cancelable: true }))).toBe(false)
  fireEvent.click(screen.getByText('Save'))
  const body = { title: 'Greeting', text: 'Hello', isShared: true }
  await vi.waitFor(() => expect(requests).toEqual([['/saved-replies/1', body]]))
})
