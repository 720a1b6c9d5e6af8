// A site with a `tokenUrl` that says who is signed in.
import type { TokenUrlQuestion } from '../identity/askTokenUrl.ts'
import { settle } from './fakeClock.ts'
import { adaToken, createAcme, graceToken, shown, type Tab } from './fixtures.ts'

const tokenUrl = '/chat-token'

/** Creates a site whose server issues tokens as the SDK's `tokenHandler` does. */
export function createSite(processes?: Parameters<typeof createAcme>[0]) {
  const acme = createAcme(processes)
  const { platform, browser } = acme
  const tokens: Record<string, string> = { ada: adaToken, grace: graceToken }
  const questions: TokenUrlQuestion[] = []
  const requests: RequestInit[] = []
  const site = {
    signedIn: null as string | null,
    /** Replaces the response of the site. */
    answer: undefined as undefined | (() => Promise<Response> | Response),
    questions,
    /** The questions as they were sent. */
    requests,
    tokens,
    /** Delays the next responses. Returns a function that sends the last one. */
    holdAnswer() {
      let answer = (_: Response) => {}
      site.answer = () =>
        new Promise(resolve => {
          answer = resolve
        })
      return (response: Response) => answer(response)
    },
  }
  const respond = (status: number, body = '', type = 'basic') =>
    ({ status, type, ok: status < 300, text: async () => body }) as unknown as Response
  const fetch = (async (url: string, init: RequestInit) => {
    if (url !== tokenUrl) return platform.fetch(url, init)
    const question = JSON.parse(`${init.body}`) as TokenUrlQuestion
    questions.push(question)
    requests.push(init)
    if (site.answer) {
      const aborted = new Promise<never>((_, reject) => init.signal?.addEventListener('abort', reject))
      return Promise.race([site.answer(), aborted])
    }
    if (!site.signedIn) return respond(401)
    if (question.contact === site.signedIn && question.token === 'valid') return respond(204)
    return respond(200, JSON.stringify({ data: { token: tokens[site.signedIn] } }))
  }) as typeof globalThis.fetch
  const openTab = (options = {}) => browser.openTab({ tokenUrl, fetch, ...options })
  return { ...acme, site, respond, openTab }
}

export const isHidden = ({ core }: Tab) => core.models.signIn.isViewHidden.value
/** Returns the messages that the visitor sees. */
export const visible = (tab: Tab) => (isHidden(tab) ? [] : shown(tab))

/** Creates a site, and a tab that has shown Ada's chat. */
export async function createSiteWithAda() {
  const setUp = createSite()
  setUp.site.signedIn = 'ada'
  const tab = setUp.openTab()
  tab.core.setOpen(true)
  await settle()
  setUp.site.questions.length = 0
  return { ...setUp, tab }
}
