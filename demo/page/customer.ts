import type { WidgetHandle } from 'natter'
import { shop } from './session.ts'

/** Whoever is signed in to the shop, and so in the chat: the shop's session and the widget's, kept in step. */
export interface Customer {
  name(): string | null
  /** The contact token of the shop's session, while it has one. */
  token(): string | null
  /** Tells the widget who is signed in; on every load, as the same token again costs nothing. */
  start(): Promise<void>
  /** Ends whatever session there is first. */
  signIn(who: string): Promise<void>
  signOut(): Promise<void>
  /** A new contact token in the place of one that has expired; `null` where nobody is signed in any more. */
  renew(): Promise<string | null>
}

/** `onChange` hears of every change, of other tabs' and the platform's too. */
export function createCustomer(natter: WidgetHandle, onChange: () => void): Customer {
  const nobody = { name: null, token: null }
  let session: Awaited<ReturnType<typeof shop.session>> = nobody
  let turn: Promise<unknown> = Promise.resolve()

  /** One thing after the other, so that no click is lost. */
  function inTurn(action: () => Promise<void>): Promise<void> {
    const mine = turn.then(action)
    turn = mine.catch(() => {})
    return mine
  }

  function set(next: typeof session) {
    session = next
    onChange()
  }

  const refresh = async () => set(await shop.session())
  const refreshInTurn = () => void inTurn(refresh).catch(console.error)

  // The shop's own word to its other tabs, once its server knows: the chat there may have heard of it before.
  const otherTabs = new BroadcastChannel('acme-session')
  otherTabs.onmessage = refreshInTurn
  const tellOtherTabs = () => otherTabs.postMessage(null)

  async function login(): Promise<void> {
    const kept = session.token
    const token = kept ?? (await shop.chatToken())
    set({ ...session, token })
    try {
      await natter.auth.contacts.login({ token })
    } catch (error) {
      set({ ...session, token: null })
      const isEnded = error instanceof Error && 'code' in error && error.code === 'token_invalid'
      if (!kept || !isEnded) throw error
      await login()
    }
  }

  async function signOut(): Promise<void> {
    // The chat first: it clears itself at once, whatever becomes of the request to the shop.
    const cleared = natter.auth.contacts.logout()
    set(nobody)
    await shop.signOut()
    tellOtherTabs()
    await cleared
  }

  natter.on('auth', ({ state }) => {
    if (state === 'anonymous') session = { ...session, token: null }
    onChange()
  })
  // A page that the browser keeps for its Back button must not show who was signed in.
  addEventListener('pagehide', () => set(nobody))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) refreshInTurn()
  })

  return {
    name: () => session.name,
    token: () => session.token,
    start: () =>
      inTurn(async () => {
        await refresh()
        if (session.name) await login()
      }),
    signIn: who =>
      inTurn(async () => {
        if (session.name) await signOut()
        set(await shop.signIn(who))
        await login().finally(tellOtherTabs)
      }),
    signOut: () => inTurn(signOut),
    async renew() {
      await refresh()
      if (!session.name) return null
      const token = await shop.chatToken()
      set({ ...session, token })
      tellOtherTabs()
      return token
    },
  }
}
