import type { WidgetHandle } from 'natter'
import type { Customer } from './customer.ts'
import { shop } from './session.ts'
import type { NetworkName, StateName } from './switches.ts'

/** What a state is set up with. */
export interface Stage {
  natter: WidgetHandle
  /** The chat is open. */
  opened: Promise<void>
  customer: Customer
  network: { set(name: NetworkName): void; idle(): Promise<unknown> }
  expire(): Promise<void>
}

/** How each state comes about; before that nobody is signed in, and the chat is open and empty. */
const scenes: Record<StateName, (stage: Stage) => unknown> = {
  'anonymous-empty': () => {},
  'anonymous-talking': ({ natter }) => natter.message({ text: 'How do I return something?' }),
  identifying({ customer, network }) {
    network.set('slow')
    return customer.signIn('ada')
  },
  identified: ({ customer }) => customer.signIn('ada'),
  async restoring({ customer, network }) {
    await customer.signIn('ada')
    network.set('slow')
    // As when the Back button brings the page again.
    for (const name of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(name, { persisted: true }))
  },
  async offline({ natter, network }) {
    // What the open chat shows is fetched first.
    await network.idle()
    network.set('offline')
    natter.message({ text: 'Are you still there?' })
  },
  async reconnecting({ customer, network }) {
    await customer.signIn('ada')
    await network.idle()
    network.set('streamless')
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
  async revoked({ customer }) {
    await customer.signIn('ada')
    await shop.end('revoke')
  },
  async expired({ customer, expire }) {
    await customer.signIn('ada')
    await expire()
  },
  async deleted({ customer }) {
    await customer.signIn('ada')
    await shop.end('delete-contact')
  },
  'rate-limited': ({ natter }) => natter.message({ text: 'Hello? Hello? Hello?' }),
  'bot-unavailable': () => {},
  // These the address alone makes: the server, and the first lines of the page.
  'panel-failed': () => {},
  'storage-blocked': () => {},
}

const networks: Partial<Record<StateName, NetworkName>> = {
  'message-failed': 'refused',
  'rate-limited': 'limited',
  'bot-unavailable': 'botless',
}

/** The network that a state needs before the widget asks for anything. */
export const networkOf = (state: StateName | undefined): NetworkName => (state && networks[state]) ?? 'fine'

/** Brings a page that has just been loaded into a state, whatever its visitor has done before. */
export async function enact(state: StateName, stage: Stage): Promise<void> {
  await stage.customer.signOut()
  stage.natter.open()
  // A panel that can't be loaded doesn't open, and needs no more.
  await stage.opened
  await scenes[state](stage)
}
