import type { Customer } from './customer.ts'
import { shop } from './session.ts'
import type { NetworkName, StateName } from './switches.ts'

/** What a state is set up with. */
export interface Stage {
  natter: typeof window.Natter
  /** The chat is open. */
  opened: Promise<void>
  customer: Customer
  network: { set(name: NetworkName): void; idle(): Promise<unknown> }
  expire(): void
}

/** How the page gets into each state, from wherever it was when its address was opened; the chat is open by then. */
const scenes: Record<StateName, (stage: Stage) => unknown> = {
  'anonymous-empty': ({ customer }) => customer.signOut(),
  async 'anonymous-talking'({ natter, customer }) {
    await customer.signOut()
    natter.message({ text: 'How do I return something?' })
  },
  async identifying({ customer, network }) {
    await customer.signOut()
    network.set('slow')
    await customer.signIn('ada')
  },
  identified: signedIn,
  async restoring({ customer, network }) {
    if (customer.name()) return
    network.set('fine')
    await customer.signIn('ada')
    location.reload()
  },
  async offline({ natter, opened, network }) {
    // What the open chat shows is fetched first.
    await opened
    await network.idle()
    network.set('offline')
    natter.message({ text: 'Are you still there?' })
  },
  async reconnecting(stage) {
    await signedIn(stage)
    stage.network.set('streamless')
  },
  'message-failed': ({ natter }) => natter.message({ text: 'Where is my order?' }),
  async 'history-failed'({ customer, network }) {
    await customer.signIn('ada')
    await shop.agent({ do: 'write', text: 'Hello, Nora from the shop here.' })
    // Signing out empties what the browser has kept; without it there would be nothing to fetch.
    await customer.signOut()
    network.set('historyless')
    await customer.signIn('ada')
  },
  async revoked(stage) {
    await signedIn(stage)
    await shop.end('revoke')
  },
  async expired(stage) {
    await signedIn(stage)
    stage.expire()
  },
  async deleted(stage) {
    await signedIn(stage)
    await shop.end('delete-contact')
  },
  'rate-limited': ({ natter }) => natter.message({ text: 'Hello? Hello? Hello?' }),
  'bot-unavailable': () => {},
  // These the address alone makes: the server, and the first lines of the page.
  'panel-failed': () => {},
  'storage-blocked': () => {},
}

const networks: Partial<Record<StateName, NetworkName>> = {
  restoring: 'slow',
  'message-failed': 'refused',
  'rate-limited': 'limited',
  'bot-unavailable': 'botless',
}

/** The network that a state needs before the widget asks for anything. */
export const networkOf = (state: StateName | undefined): NetworkName => (state && networks[state]) ?? 'fine'

export const enact = (state: StateName, stage: Stage): unknown => scenes[state](stage)

async function signedIn({ customer }: Stage): Promise<void> {
  if (!customer.name()) await customer.signIn('ada')
}
