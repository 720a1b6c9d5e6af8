// A simulated site whose `tokenUrl` responds late, wrongly or not at all.
import { effect } from '@preact/signals-core'
import type { TokenUrlQuestion } from '../identity/askTokenUrl.ts'
import { type FakePlatform, tokenHex } from './fakePlatform.ts'
import { ada, grace, type Tab } from './fixtures.ts'

const minuteMs = 60_000
/** A page may be loaded while another tab acts on the site's response, which then counts for both. */
const loginMs = 30_000
const people = { ada, grace }

/** The steps of a plan that concern the site. */
export const siteSteps = ['site ada', 'site grace', 'site nobody', 'site fails', 'site redirects', 'site works']

export function createSimulatedSite(platform: FakePlatform, now: () => number) {
  const site = { signedIn: null as keyof typeof people | null, fault: null as 'fails' | 'redirects' | null }
  /** The order of events, because many have the same time. */
  let order = 0
  let made = 0x1000
  /** When the site, or a login by the page, last identified a contact. */
  const namedAt = new Map<string, { order: number; time: number }>()
  /** The tokens of logins by the page that are in progress. */
  const loggingIn: string[] = []
  const violations: string[] = []
  /** For each tab: since when it is hidden, and when it last became visible after at least a minute. */
  const tabs = new Map<Tab, { name: string; awaySince: number | null; backAt: number; loadedAt: number }>()
  /** When a tab has last been told by the site, or by a login of its own, who uses it. */
  const answeredAt = new Map<string, number>()

  const name = (id: string) => namedAt.set(id, { order: ++order, time: now() })

  function check(tab: Tab, when: string) {
    const { session, signIn } = tab.core.models
    const contact = session.contact.value
    const isShown = !signIn.isViewHidden.value
    const known = tabs.get(tab)
    if (!contact || !isShown || !known) return
    const isAway = known.awaySince !== null && now() - known.awaySince > minuteMs
    const named = namedAt.get(contact.id)
    const isNamed = named && (named.order > known.backAt || named.time > known.loadedAt - loginMs)
    const hasAnswer = (answeredAt.get(known.name) ?? 0) > known.backAt
    if (!hasAnswer) violations.push(`${when}: ${contact.id} is shown in ${known.name}, which has no answer of the site`)
    if (isAway || !isNamed) violations.push(`${when}: ${contact.id} is shown${isAway ? ' to nobody' : ' unconfirmed'}`)
  }

  return {
    violations,
    site,
    /** The page calls `login()`, which counts as a confirmation by the site. */
    startLogin(token: string, tab: string) {
      loggingIn.push(token)
      answeredAt.set(tab, ++order)
    },
    endLogin: (token: string) => loggingIn.splice(loggingIn.indexOf(token), 1),
    /** That of the tab of this name. */
    fetchOf: (tab: string) =>
      (async (url: string, init: RequestInit) => {
        if (url !== '/chat-token') {
          const token = loggingIn.find(each => JSON.stringify(init.headers).includes(each))
          const contact = platform.sessions.get(token ?? '')?.contact
          if (contact) name(contact.id)
          return platform.fetch(url, init)
        }
        const answer = (status: number, body = '', type = 'basic') =>
          ({ status, type, ok: status < 300, text: async () => body }) as unknown as Response
        answeredAt.set(tab, ++order)
        if (site.fault === 'fails') return answer(503)
        if (site.fault === 'redirects') return answer(0, '', 'opaqueredirect')
        if (!site.signedIn) return answer(401)
        name(site.signedIn)
        const { contact, token } = JSON.parse(`${init.body}`) as TokenUrlQuestion
        if (contact === site.signedIn && token === 'valid') return answer(204)
        const fresh = `c:${tokenHex(++made)}`
        platform.addContact(fresh, people[site.signedIn])
        return answer(200, JSON.stringify({ data: { token: fresh } }))
      }) as typeof fetch,
    watch(tab: Tab, name: string) {
      tabs.set(tab, { name, awaySince: null, backAt: ++order, loadedAt: now() })
      const stop = effect(() => check(tab, 'on change'))
      tab.life.end.addEventListener('abort', stop)
    },
    /** Call it when the page is hidden, before the tab gets the event. */
    leave(tab: Tab) {
      const known = tabs.get(tab)
      if (known) known.awaySince ??= now()
    },
    /** Call it when the page is visible again, before the tab gets the event. Returns whether it was away for a minute. */
    comeBack(tab: Tab): boolean {
      const known = tabs.get(tab)
      if (!known || known.awaySince === null) return false
      const wasAway = now() - known.awaySince >= minuteMs
      if (wasAway) Object.assign(known, { backAt: ++order, loadedAt: Infinity })
      known.awaySince = null
      check(tab, 'in the first frame')
      return wasAway
    },
    checkAll: (alive: readonly Tab[]) => {
      for (const tab of alive) check(tab, 'afterwards')
    },
    act(what: string) {
      if (what === 'site ada') site.signedIn = 'ada'
      else if (what === 'site grace') site.signedIn = 'grace'
      else if (what === 'site nobody') site.signedIn = null
      else if (what === 'site fails') site.fault = 'fails'
      else if (what === 'site redirects') site.fault = 'redirects'
      else if (what === 'site works') site.fault = null
    },
  }
}
