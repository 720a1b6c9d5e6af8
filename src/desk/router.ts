import { type ReadonlySignal, signal } from '@preact/signals'
import type { DeskView } from '../contract/desk.ts'
import { deskViews, numbersPeriods } from '../contract/deskLimits.ts'

/** What the address bar says. `view` and `filters` are the list beside a conversation. */
export type Route =
  | { page: 'inbox'; view: DeskView; filters: string; conversationId: string | null }
  | { page: 'saved' }
  | { page: 'team'; tab: 'members' | 'audit' }
  | { page: 'numbers'; days: number; bot: string }
  /** `botId`: `null` for the first bot. */
  | { page: 'bots'; botId: string | null }
  | { page: 'invitation'; token: string }

export interface Router {
  readonly route: ReadonlySignal<Route>
  /** Shows the page of this address. `replace` adds no step to the history. */
  go(href: string, options?: { replace?: boolean }): void
  /**
   * Lets `ask` decide whether the page is left: instead of showing another one, `go` passes what would do so. Returns a
   * function that ends it.
   */
  confirmLeave(ask: (leave: () => void) => void): () => void
  /** Follows links and the back button. Returns a function that stops it. */
  start(): () => void
}

const isView = (name: string | null): name is DeskView => deskViews.some(view => view === name)

const filterNames = ['query', 'state', 'owner', 'bot', 'days'] as const
/** A search, and what else restricts a list. Absent or `''`: nothing. */
export type Filters = Partial<Record<(typeof filterNames)[number], string>>

/** Filters as the address has them. The same filters are the same text. */
export const writeFilters = (filters: Filters): string =>
  `${new URLSearchParams(filterNames.flatMap(name => (filters[name] ? [[name, filters[name]]] : [])))}`
export const readFilters = (filters: string): Filters => Object.fromEntries(new URLSearchParams(filters))

export const viewHref = (view: DeskView, filters = ''): string => `/desk/${view}${filters && `?${filters}`}`
export const conversationHref = (id: string, view: DeskView, filters = ''): string =>
  `/desk/c/${id}?view=${view}${filters && `&${filters}`}`

export const botHref = (id = ''): string => `/desk/bots${id && `/${id}`}`
export const savedHref = '/desk/saved'
export const teamHref = '/desk/team'
export const auditHref = '/desk/team/audit'
export const numbersHref = (days = 30, bot = ''): string => `/desk/numbers?${writeFilters({ bot, days: `${days}` })}`

/** The page of an address. An address that does not exist shows who waits. */
export function parseRoute({ pathname, searchParams, hash }: URL): Route {
  const [, , first = '', id] = pathname.split('/')
  if (first === 'invite') return { page: 'invitation', token: hash.slice(1) }
  if (first === 'saved') return { page: 'saved' }
  if (first === 'bots') return { page: 'bots', botId: id || null }
  if (first === 'team') return { page: 'team', tab: id === 'audit' ? 'audit' : 'members' }
  if (first === 'numbers') {
    const days = Number(searchParams.get('days'))
    return {
      page: 'numbers',
      days: numbersPeriods.find(each => each === days) ?? 30,
      bot: searchParams.get('bot') ?? '',
    }
  }
  const filters = writeFilters(Object.fromEntries(searchParams))
  if (first === 'c' && id) {
    const view = searchParams.get('view')
    return { page: 'inbox', view: isView(view) ? view : 'all', filters, conversationId: id }
  }
  return { page: 'inbox', view: isView(first) ? first : 'waiting', filters, conversationId: null }
}

/** What the OpenID Connect provider has sent back. It must not stay in the history: call this before the router is created. */
export function takeOidcResponse(): string | undefined {
  if (location.pathname !== '/desk/oidc/callback') return undefined
  const response = location.search.slice(1)
  history.replaceState(null, '', viewHref('waiting'))
  return response
}

export function createRouter(): Router {
  const route = signal(parseRoute(new URL(location.href)))
  // The token must not stay in the history, nor be seen over a shoulder.
  if (route.value.page === 'invitation') history.replaceState(null, '', location.pathname)

  let ask: ((leave: () => void) => void) | undefined
  let shownHref = location.href
  const go: Router['go'] = (href, { replace = false } = {}) => {
    const url = new URL(href, location.href)
    const show = () => {
      if (url.href !== location.href) history[replace ? 'replaceState' : 'pushState'](null, '', url)
      shownHref = url.href
      route.value = parseRoute(url)
    }
    if (ask && url.href !== shownHref) ask(show)
    else show()
  }

  function followHistory() {
    const { href } = location
    // The address has changed already. While the member is asked, it is that of the page.
    if (ask) history.pushState(null, '', shownHref)
    go(href, { replace: !ask })
  }

  function followLink(event: MouseEvent) {
    const link = (event.target as Element).closest('a')
    // Other buttons and modifier keys open a tab, as everywhere.
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return
    const { origin, pathname } = new URL(link.href)
    if (origin !== location.origin || !/^\/desk(\/(?!api\/)|$)/.test(pathname)) return
    event.preventDefault()
    go(link.href)
  }

  function start(): () => void {
    const ended = new AbortController()
    const { signal } = ended
    addEventListener('popstate', followHistory, { signal })
    addEventListener('click', followLink, { signal })
    // The page that the browser has kept may be that of another member.
    addEventListener('pageshow', ({ persisted }) => persisted && location.reload(), { signal })
    return () => ended.abort('The desk has ended.')
  }

  function confirmLeave(decide: (leave: () => void) => void): () => void {
    ask = decide
    return () => {
      ask = undefined
    }
  }

  return { route, go, confirmLeave, start }
}
