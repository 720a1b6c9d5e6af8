import { signal } from '@preact/signals'
import { cleanup, fireEvent, render, screen } from '@testing-library/preact'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DeskConversation } from '../../contract/desk.ts'
import { DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { createKeys } from '../keys.ts'
import { conversation, now } from '../testing/deskFixtures.ts'
import { ConversationList } from './ConversationList.tsx'

beforeEach(() => {
  // A list of six rows, of 72 px each.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(432)
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockImplementation(() => 72 * screen.queryAllByRole('link').length)
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

function setUp(ids: string[]) {
  const rows = signal<readonly DeskConversation[]>(ids.map(id => conversation(id)))
  const newRows = signal(0)
  const [loadMore, retry, status] = [vi.fn(), vi.fn(), signal('ready')]
  const inbox = {
    ...{ rows, newRows, loadMore, retry, status, view: signal('all'), filters: signal({}) },
    ...{ selectedId: signal(null), excerpts: signal({}), counts: signal(null), hasMore: signal(true) },
    ...{ hrefOf: (id: string) => `/${id}`, setFirstSeenRow() {} },
    showNewRows() {
      rows.value = [conversation('new'), ...rows.value]
      newRows.value = 0
    },
  }
  const desk = {
    ...{ inbox, keys: createKeys(), strings: en, format: createFormat('en', en), now: signal(now) },
    current: { bots: [], team: [], member: { id: 'nora' } },
  } as unknown as Desk
  render(
    <DeskContext.Provider value={desk}>
      <ConversationList />
    </DeskContext.Provider>,
  )
  return { rows, newRows, loadMore, retry, status }
}

test('loads more when colleagues have taken so many that nothing can be scrolled, and does not say that it is empty', async () => {
  const { rows, loadMore } = setUp(Array.from({ length: 30 }, (_, index) => `${index}`))
  expect(loadMore).not.toHaveBeenCalled()
  rows.value = rows.value.slice(0, 4)
  await vi.waitFor(() => expect(loadMore).toHaveBeenCalledOnce())
  rows.value = []
  await vi.waitFor(() => expect(loadMore).toHaveBeenCalledTimes(2))
  expect(screen.queryByText(en.inbox.empty.all)).toBeNull()
})

test('lets the member decide whether a search that has paused goes on, and does not say that it has found nothing', async () => {
  const { status, retry } = setUp([])
  status.value = 'paused'
  fireEvent.click(await screen.findByRole('button', { name: 'Show more' }))
  expect(retry).toHaveBeenCalledOnce()
  expect(screen.queryByText(en.inbox.empty.all)).toBeNull()
})

test('puts the focus on the first of the new rows that were asked for', async () => {
  const { newRows } = setUp(['a', 'b'])
  newRows.value = 1
  fireEvent.click(await screen.findByRole('button', { name: 'Show 1 new conversation' }))
  await vi.waitFor(() => expect(document.activeElement?.getAttribute('href')).toBe('/new'))
})
