import type { WidgetHandle } from 'natter'
import { shop } from './session.ts'

/** Who is signed in to the shop, and so in the chat. */
export interface Customer {
  name(): string | null
  /** Makes the chat follow the shop's session. Called on every load: the same token again costs nothing. */
  start(): Promise<void>
  /** Ends the present session first, if there is one. */
  signIn(who: string): Promise<void>
  signOut(): Promise<void>
}

/** `onChange` is called after every change of identity, also when another tab or the platform made it. */
export function createCustomer(natter: WidgetHandle, onChange: () => void): Customer {
  const { contacts } = natter.auth
  let name: string | null = null
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs one action after the other, so that no click is lost. */
  function inTurn(action: () => Promise<void>): Promise<void> {
    const mine = turn.then(action)
    turn = mine.catch(() => {})
    return mine
  }

  function set(next: string | null) {
    name = next
    onChange()
  }

  async function refresh() {
    set((await shop.session()).name)
  }

  // The shop's own message to its other tabs, once its server knows. The chat there may have heard of it before.
  const otherTabs = new BroadcastChannel('acme-session')
  otherTabs.onmessage = () => void inTurn(refresh).catch(console.error)
  const notifyOtherTabs = () => otherTabs.postMessage(null)

  /** `ended` is the token that the platform has just refused. */
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

  /** The shop's session has ended, so nobody may stay signed in to the chat. An anonymous conversation stays. */
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
    // The chat first: it clears itself at once, whatever becomes of the request to the shop.
    const cleared = contacts.logout()
    set(null)
    await shop.signOut()
    notifyOtherTabs()
    await cleared
  }

  natter.on('auth', onChange)
  // A page that the browser keeps for its Back button must not show who was signed in.
  addEventListener('pagehide', () => set(null))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void inTurn(checkSession).catch(console.error)
  })

  return {
    name: () => name,
    start: () =>
      inTurn(async () => {
        await checkSession()
        if (name !== null) await login()
      }),
    signIn: who =>
      inTurn(async () => {
        if (name !== null) await signOut()
        set((await shop.signIn(who)).name)
        await login().finally(notifyOtherTabs)
      }),
    signOut: () => inTurn(signOut),
  }
}
