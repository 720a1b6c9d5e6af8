import type { WidgetHandle } from 'natter'
import type { Customer } from './customer.ts'
import { type AgentAction, shop } from './session.ts'
import type { NetworkName, StateName } from './switches.ts'

/** What is needed to set up a state. */
export interface StateContext {
  natter: WidgetHandle
  /** Resolves when the chat is open. */
  opened: Promise<void>
  customer: Customer
  network: { set(name: NetworkName): void; idle(): Promise<unknown> }
  /** Makes the contact token expire. */
  expire(): void
}

/** How to reach each state, starting signed out with the chat open and empty. */
const setups: Record<StateName, (context: StateContext) => unknown> = {
  'anonymous-empty': () => {},
  'anonymous-talking': ({ natter }) => natter.message({ text: 'How do I return something?' }),
  async identifying(context) {
    await context.customer.signIn('ada')
    context.network.set('slow')
    await logInByHand(context)
  },
  identified: ({ customer }) => customer.signIn('ada'),
  async restoring({ customer, network }) {
    await customer.signIn('ada')
    network.set('slow')
    // As if the Back button restored the page.
    for (const name of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(name, { persisted: true }))
  },
  async offline({ natter, network }) {
    // Wait until everything the open chat shows is loaded.
    await network.idle()
    network.set('offline')
    natter.message({ text: 'Are you still there?' })
  },
  async reconnecting({ customer, network }) {
    await customer.signIn('ada')
    await network.idle()
    network.set('streamless')
  },
  answering: ({ natter }) => natter.message({ text: 'How do I return something?' }),
  sources: context => asNora(context, { do: 'write-with-sources', text: 'It takes two to four days.' }),
  files: context => asNora(context, { do: 'send-files', text: 'These are the ones.' }),
  removed: context => asNora(context, { do: 'write', text: 'This was for somebody else.' }, { do: 'remove' }),
  'person-requested': ({ natter }) => natter.message({ text: 'Talk to a person' }),
  async 'agent-joined'({ customer }) {
    await customer.signIn('ada')
    await shop.agent({ do: 'hand-back' }).catch(() => {}) // Ada may have no conversation yet.
    await shop.agent({ do: 'write', text: 'Hello, Nora from the shop here.' })
  },
  'handed-back': context => asNora(context, { do: 'write', text: 'Hello, Nora from the shop here.' }),
  async preview({ natter, customer }) {
    await customer.signIn('ada')
    natter.close()
    await shop.agent({ do: 'write', text: 'Your boots left this morning. They should be with you on Tuesday.' })
    await shop.agent({ do: 'hand-back' })
  },
  'message-failed': ({ natter }) => natter.message({ text: 'Where is my order?' }),
  async 'history-failed'(context) {
    const { customer, network } = context
    await asNora(context, { do: 'write', text: 'Hello, Nora from the shop here.' })
    // Signing out clears the browser's cache. Otherwise there would be nothing to load.
    await customer.signOut()
    network.set('historyless')
    await customer.signIn('ada')
  },
  async revoked({ customer }) {
    await customer.signIn('ada')
    await shop.end('revoke')
  },
  async expired(context) {
    await context.customer.signIn('ada')
    await logInByHand(context)
    context.expire()
  },
  async deleted({ customer }) {
    await customer.signIn('ada')
    await shop.end('delete-contact')
  },
  'rate-limited': ({ natter }) => natter.message({ text: 'Hello? Hello? Hello?' }),
  'bot-unavailable': () => {},
  // The server and the first lines of the page create these states from the URL.
  'panel-failed': () => {},
  'storage-blocked': () => {},
}

/** On a page without `tokenUrl`. */
const logInByHand = async ({ natter }: StateContext) => natter.auth.contacts.login({ token: await shop.contactToken() })

/** Nora of the shop does this in Ada's conversation, then hands it back to the bot. */
async function asNora({ customer }: StateContext, ...actions: AgentAction[]): Promise<void> {
  await customer.signIn('ada')
  for (const action of actions) await shop.agent(action)
  await shop.agent({ do: 'hand-back' })
}

const networks: Partial<Record<StateName, NetworkName>> = {
  answering: 'stalled',
  'message-failed': 'refused',
  'rate-limited': 'limited',
  'bot-unavailable': 'botless',
}

/** The network that a state needs before the widget's first request. */
export const networkOf = (state: StateName | undefined): NetworkName => (state && networks[state]) ?? 'fine'

/** Brings a freshly loaded page into a state, whatever the visitor has done before. */
export async function showState(state: StateName, context: StateContext): Promise<void> {
  // An anonymous conversation, too.
  await context.natter.auth.contacts.logout()
  await context.customer.signOut()
  context.natter.open()
  // A panel that fails to load never opens, and its state needs nothing else.
  await context.opened
  await setups[state](context)
}
