import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals'
import type { DeskConversation, DeskConversationPage, DeskCounts, DeskView, Excerpt } from '../../contract/desk.ts'
import type { Api } from '../api.ts'
import type { DeskEvents } from '../events.ts'
import {
  conversationHref,
  type Filters,
  type Route,
  type Router,
  readFilters,
  viewHref,
  writeFilters,
} from '../router.ts'
import { createThrottle } from '../throttle.ts'
import { arrangeRows } from './arrangeRows.ts'

/**
 * `loadingMore`: the rows are shown, and more of them are on their way. `paused`: a search has read far and found nothing, and goes
 * on when it is asked.
 */
export type ListStatus = 'loading' | 'ready' | 'loadingMore' | 'paused' | 'failed'

/** The conversations that the member sees, one view of them at a time, or those of a search. */
export interface Inbox {
  readonly view: ReadonlySignal<DeskView>
  /** The address of the list, with the conversation that was open beside it if the member is elsewhere now. */
  readonly href: ReadonlySignal<string>
  /** Compared by what they say, so that the choice of a conversation changes nothing. */
  readonly filters: ReadonlySignal<Filters>
  readonly selectedId: ReadonlySignal<string | null>
  readonly status: ReadonlySignal<ListStatus>
  /** The list, without those in `newRows`. */
  readonly rows: ReadonlySignal<readonly DeskConversation[]>
  /** The lines that a search has found, by the conversation. */
  readonly excerpts: ReadonlySignal<Record<string, Excerpt>>
  /** How many new conversations wait for `showNewRows`, because they would move what somebody looks at. */
  readonly newRows: ReadonlySignal<number>
  readonly counts: ReadonlySignal<DeskCounts | null>
  /** Whether the platform has further rows. */
  readonly hasMore: ReadonlySignal<boolean>
  showNewRows(): void
  loadMore(): Promise<void>
  /** Repeats the request that has failed, or goes on with a paused search. */
  retry(): Promise<void>
  /** Tells which row is the first that is seen. Those before it do not move. */
  setFirstSeenRow(index: number): void
  /** The address of a conversation beside the list, `null` for the list alone. */
  hrefOf(id: string | null): string
  /** Changes some filters, and shows all conversations that they let through. Without any, it returns to the former view. */
  setFilters(changes: Filters): void
  /** Opens the conversation after this one, or the list if there is none, unless the member has gone on by itself. */
  openNext(id: string): void
  /** Follows events and the address. Returns a function that stops it. */
  start(): () => void
}

export interface InboxDeps {
  api: Pick<Api, 'get'>
  events: Pick<DeskEvents, 'subscribe'>
  router: Pick<Router, 'route' | 'go'>
  memberId: string
}

const countsPauseMs = 1000

const pageRows = 30
/** The most that the platform lists at once. */
const maxPageRows = 100
/** A search pauses after so many pages in a row without a row. */
const maxEmptyPages = 3

export function createInbox({ api, events, router, memberId }: InboxDeps): Inbox {
  /** Stays while the member is on another page, and is there when it comes back. */
  let lastRoute: Extract<Route, { page: 'inbox' }> = {
    page: 'inbox',
    view: 'waiting',
    filters: '',
    conversationId: null,
  }
  const place = computed(() => {
    if (router.route.value.page === 'inbox') lastRoute = router.route.value
    return lastRoute
  })
  const view = computed(() => place.value.view)
  const writtenFilters = computed(() => place.value.filters)
  const selectedId = computed(() => (router.route.value.page === 'inbox' ? router.route.value.conversationId : null))
  const filters = computed(() => readFilters(writtenFilters.value))
  const status = signal<ListStatus>('loading')
  const known = signal<ReadonlyMap<string, DeskConversation>>(new Map())
  const ids = signal<readonly string[]>([])
  const newRows = signal<readonly string[]>([])
  const next = signal<string | null>(null)
  const excerpts = signal<Record<string, Excerpt>>({})
  const counts = signal<DeskCounts | null>(null)
  /** The last view without filters. */
  let plainView: DeskView = 'waiting'
  let firstSeenRow = 0
  /** Responses to requests for an earlier list are ignored. */
  let listNumber = 0
  /** What has been merged since the list was requested. */
  let mergedIds = new Set<string>()
  let retryAfter: string | null = null
  let emptyPages = 0

  function arrange(fixedRows: number) {
    // Only the platform knows what a search finds.
    if (filters.value.query) return
    const arrangement = arrangeRows(ids.value, {
      view: view.value,
      filters: filters.value,
      memberId,
      known: known.value,
      selectedId: selectedId.value,
      fixedRows,
      hasMore: next.value !== null,
    })
    ids.value = arrangement.ids
    newRows.value = arrangement.newRows
  }

  const arrangeAround = () => arrange(Math.max(firstSeenRow, ids.value.indexOf(selectedId.value ?? '') + 1))

  function merge(conversations: readonly DeskConversation[]) {
    const newer = conversations.filter(({ id, version }) => version > (known.value.get(id)?.version ?? -1))
    if (newer.length > 0) known.value = new Map([...known.value, ...newer.map(one => [one.id, one] as const)])
    for (const { id } of conversations) mergedIds.add(id)
  }

  const counting = createThrottle(countsPauseMs, async () => {
    // The next change asks again.
    const response = await api.get<'countDeskConversations'>('/counts').catch(() => null)
    if (response) counts.value = response.data
  })

  function apply(conversation: DeskConversation) {
    const before = known.value.get(conversation.id)
    batch(() => {
      merge([conversation])
      if (conversation.id in excerpts.value) {
        // Its line may have been removed.
        const { [conversation.id]: _, ...others } = excerpts.value
        excerpts.value = others
      }
      if (status.value !== 'loading') arrangeAround()
    })
    if (before?.state !== conversation.state || before.assignee?.id !== conversation.assignee?.id) counting.request()
  }

  function forget(conversationId: string) {
    batch(() => {
      known.value = new Map([...known.value].filter(([id]) => id !== conversationId))
      arrangeAround()
    })
    counting.request()
  }

  /** Loads the page after a cursor or, with `null`, the rows that are shown once more. */
  async function load(after: string | null) {
    if (after === null) {
      listNumber++
      mergedIds = new Set()
      emptyPages = 0
    }
    const number = listNumber
    const limit = after === null ? Math.min(Math.max(ids.value.length, pageRows), maxPageRows) : pageRows
    status.value = after === null ? 'loading' : 'loadingMore'
    let page: DeskConversationPage
    try {
      const query = { view: view.value, ...filters.value, after, limit }
      page = await api.get<'listDeskConversations'>('/conversations', query)
    } catch {
      if (number !== listNumber) return
      retryAfter = after
      status.value = 'failed'
      return
    }
    if (number !== listNumber) return
    batch(() => {
      const found = Object.entries(page.excerpts).filter(([id]) => !mergedIds.has(id))
      excerpts.value = { ...(after !== null && excerpts.value), ...Object.fromEntries(found) }
      merge(page.data)
      next.value = page.next
      retryAfter = page.next
      emptyPages = page.data.length === 0 ? emptyPages + 1 : 0
      status.value = page.next !== null && emptyPages >= maxEmptyPages ? 'paused' : 'ready'
      const loaded = page.data.map(({ id }) => id)
      if (after === null) {
        // Forget the rest: its events may have been missed.
        known.value = new Map([...known.value].filter(([id]) => mergedIds.has(id) || id === selectedId.value))
        // Rows that are shown stay where they are.
        const shown = filters.value.query ? [] : ids.value.filter(id => known.value.has(id))
        ids.value = shown.length > 0 ? shown : loaded
        arrangeAround()
      } else {
        ids.value = [...new Set([...ids.value, ...loaded])]
        arrangeAround()
      }
    })
  }

  const hrefOf = (id: string | null): string =>
    id === null ? viewHref(view.value, writtenFilters.value) : conversationHref(id, view.value, writtenFilters.value)

  function followAddress(): () => void {
    const stopView = effect(() => {
      if (!writtenFilters.value) plainView = view.value
      untracked(() => {
        ids.value = []
        newRows.value = []
        firstSeenRow = 0
        void load(null)
      })
    })
    const stopSelection = effect(() => {
      void selectedId.value
      untracked(() => status.value !== 'loading' && arrangeAround())
    })
    return () => {
      stopView()
      stopSelection()
    }
  }

  return {
    view,
    href: computed(() => {
      const { view, filters, conversationId: id } = place.value
      return id === null ? viewHref(view, filters) : conversationHref(id, view, filters)
    }),
    selectedId,
    status,
    filters,
    excerpts,
    rows: computed(() => ids.value.flatMap(id => known.value.get(id) ?? [])),
    newRows: computed(() => newRows.value.length),
    counts,
    hasMore: computed(() => next.value !== null),
    showNewRows() {
      firstSeenRow = 0
      arrange(0)
    },
    async loadMore() {
      if (next.value !== null && status.value === 'ready') await load(next.value)
    },
    retry: () => load(retryAfter),
    setFirstSeenRow(index) {
      if (index === firstSeenRow) return
      firstSeenRow = index
      if (newRows.value.length > 0) arrangeAround()
    },
    openNext(id) {
      if (selectedId.value !== id) return
      const index = ids.value.indexOf(id)
      const target = ids.value[index + 1] ?? ids.value[index - 1]
      router.go(hrefOf(target ?? null))
    },
    hrefOf,
    setFilters(changes) {
      const written = writeFilters({ ...filters.value, ...changes })
      const list = [written ? 'all' : plainView, written] as const
      const id = selectedId.value
      const href = id === null ? viewHref(...list) : conversationHref(id, ...list)
      // A search that is typed is one step of the history.
      router.go(href, { replace: Boolean(changes.query && filters.value.query) })
    },
    start() {
      counting.request()
      const unsubscribe = events.subscribe(event => {
        if (event.event === 'conversation') apply(event.data)
        if (event.event === 'gone') forget(event.data.conversationId)
        if (event.event === 'reset') {
          void load(null)
          counting.request()
        }
      })
      const stopFollowing = followAddress()
      return () => {
        unsubscribe()
        stopFollowing()
        counting.cancel()
        // Responses that are still on their way are ignored.
        listNumber++
      }
    },
  }
}
