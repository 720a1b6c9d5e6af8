import type { WidgetHandle } from 'natter'
import { shop } from './session.ts'

/** The customer who is signed in to the shop. The chat asks the shop's server itself, at the `tokenUrl`. */
export interface Customer {
  name(): string | null
  /**
   * The contact of the chat. The name is shown only if it is the shop's customer: until the chat has asked the shop, its
   * stored session may belong to somebody who has signed out.
   */
  chatState(): string
  /** Asks the shop who is signed in. Called on every page load. */
  start(): Promise<void>
  /** Ends the current session first, if there is one. Resolves when the chat has followed. */
  signIn(who: string): Promise<void>
  signOut(): Promise<void>
}

/** `onChange` is called after every change of identity, including those made by another tab or the platform. */
export function createCustomer(natter: WidgetHandle, onChange: () => void): Customer {
  let name: string | null = null
  let queue: Promise<unknown> = Promise.resolve()

  /** Runs requests to the shop one after the other, so that no click is lost. */
  function enqueue(request: () => Promise<string | null>): Promise<void> {
    const result = queue.then(async () => set(await request()))
    queue = result.catch(() => {})
    return result
  }

  function set(next: string | null) {
    name = next
    onChange()
  }

  const start = () => enqueue(async () => (await shop.session()).name)

  /** Tells the chat and the shop's other tabs that the session has changed. */
  async function changeSession(request: () => Promise<string | null>): Promise<void> {
    await enqueue(request)
    otherTabs.postMessage(null)
    await natter.auth.refresh()
  }

  const otherTabs = new BroadcastChannel('acme-session')
  otherTabs.onmessage = () => {
    start().catch(console.error)
    // Tabs share a chat only with `persist: 'local'`.
    natter.auth.refresh().catch(console.error)
  }

  natter.on('auth', ({ state }) => {
    onChange()
    // The chat asks more often than the page, and may be the first to hear that the shop's session is over.
    if (state === 'anonymous') start().catch(console.error)
  })
  // A page in the back/forward cache must not show who was signed in.
  addEventListener('pagehide', () => set(null))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) start().catch(console.error)
  })

  return {
    name: () => name,
    chatState() {
      const { state, contacts } = natter.auth
      return name !== null && contacts.current?.name === name ? `${state} as ${name}` : state
    },
    start,
    signIn: who => changeSession(async () => (await shop.signIn(who)).name),
    signOut: () =>
      changeSession(async () => {
        await shop.signOut()
        return null
      }),
  }
}
