import type { WidgetHandle } from 'natter'
import { shop } from './session.ts'

/** The customer who is signed in to the shop and to the chat. */
export interface Customer {
  name(): string | null
  /** Makes the chat follow the shop's session. Called on every page load; a login with the same token does nothing. */
  start(): Promise<void>
  /** Ends the current session first, if there is one. */
  signIn(who: string): Promise<void>
  signOut(): Promise<void>
}

/** `onChange` is called after every change of identity, including those made by another tab or the platform. */
export function createCustomer(natter: WidgetHandle, onChange: () => void): Customer {
  const { contacts } = natter.auth
  let name: string | null = null
  let queue: Promise<unknown> = Promise.resolve()

  /** Runs actions one after the other, so that no click is lost. */
  function enqueue(action: () => Promise<void>): Promise<void> {
    const result = queue.then(action)
    queue = result.catch(() => {})
    return result
  }

  function set(next: string | null) {
    name = next
    onChange()
  }

  async function refresh() {
    set((await shop.session()).name)
  }

  // The shop notifies its other tabs after its server has changed the session. Their chat may know already.
  const otherTabs = new BroadcastChannel('acme-session')
  otherTabs.onmessage = () => void enqueue(refresh).catch(console.error)
  const notifyOtherTabs = () => otherTabs.postMessage(null)

  /** `ended` is the token that the platform has just rejected. */
  async function login(ended?: string): Promise<void> {
    const token = await shop.chatToken(ended)
    if (token === null) return endChat()
    try {
      await contacts.login({ token })
    } catch (error) {
      const isEnded = error instanceof Error && 'code' in error && error.code === 'token_invalid'
      if (!isEnded || ended !== undefined) throw error
      await login(token)
    }
  }

  /** The shop's session has ended, so sign out of the chat. An anonymous conversation stays. */
  async function endChat(): Promise<void> {
    const cleared = natter.auth.state === 'anonymous' ? undefined : contacts.logout()
    set(null)
    await cleared
  }

  async function checkSession(): Promise<void> {
    await refresh()
    if (name === null) await endChat()
  }

  async function signOut(): Promise<void> {
    // Log out of the chat first: it clears itself immediately, even if the request to the shop fails.
    const cleared = contacts.logout()
    set(null)
    await shop.signOut()
    notifyOtherTabs()
    await cleared
  }

  natter.on('auth', onChange)
  // A page in the back/forward cache must not show who was signed in.
  addEventListener('pagehide', () => set(null))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void enqueue(checkSession).catch(console.error)
  })

  return {
    name: () => name,
    start: () =>
      enqueue(async () => {
        await checkSession()
        if (name !== null) await login()
      }),
    signIn: who =>
      enqueue(async () => {
        if (name !== null) await signOut()
        set((await shop.signIn(who)).name)
        await login().finally(notifyOtherTabs)
      }),
    signOut: () => enqueue(signOut),
  }
}
