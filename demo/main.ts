import type { WidgetHandle } from 'natter'
import { type Actions, createActions } from './page/actions.ts'
import { renderChoices } from './page/choices.ts'
import { createCustomer } from './page/customer.ts'
import { showFacts } from './page/facts.ts'
import { createLog, type LogLine } from './page/log.ts'
import { createNetwork } from './page/network.ts'
import { networkOf, showState } from './page/states.ts'
import { createSteps } from './page/steps.ts'
import { blockStorage } from './page/storage.ts'
import { type NetworkName, readChoices } from './page/switches.ts'
import { createTabs } from './page/tabs.ts'
import { createTraffic } from './page/traffic.ts'

const find = <Kind extends HTMLElement>(selector: string) => document.querySelector<Kind>(selector) as Kind
const { state, network: initialNetwork = networkOf(state) } = readChoices(location.search)
if (state === 'storage-blocked') blockStorage()

const script = find<HTMLScriptElement>('#natter')
const { botId = '', baseUrl = '' } = script.dataset
const log = createLog(find('[data-log]'))
/** Renders the facts again. Set once the widget is loaded. */
let renderFacts = () => {}
const addLine = (line: LogLine) => {
  log.add(line)
  renderFacts()
}
const logEvent = (text: string, detail?: string) => addLine({ direction: 'event', text, detail })

const network = createNetwork({
  send: window.fetch.bind(window),
  widgetUrl: `${baseUrl}/v1/bots/${botId}/widget`,
  onOnline(isOnline) {
    if (isOnline) Reflect.deleteProperty(navigator, 'onLine')
    else Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false })
    dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
  },
})
window.fetch = createTraffic({
  send: network.fetch,
  origin: location.origin,
  tokenUrl: script.dataset['tokenUrl'],
  onLine: addLine,
  onSearched({ searched, found }) {
    find('[data-searched]').textContent = `${found} of ${searched}`
    find('[data-proof]').classList.toggle('bad', found > 0)
  },
})
const setNetwork = (name: NetworkName) => {
  find<HTMLSelectElement>('#network').value = name
  network.set(name)
}
renderChoices(find('.inspector'), {
  onTab: createTabs(find('[role="tablist"]')),
  onSelect(name, value) {
    if (name === 'network') setNetwork(value as NetworkName)
    else window.Natter?.setLocale(value)
  },
})

setNetwork(initialNetwork)

// This module runs before the widget's script, which is also deferred, so no request of the widget is missed.
script.addEventListener('load', () => void run(window.Natter))
script.addEventListener('error', () => {
  find('[data-session]').textContent = 'not available: the script of the chat could not be loaded'
})

async function run(natter: WidgetHandle): Promise<void> {
  const customer = createCustomer(natter, () => renderFacts())
  renderFacts = () => showFacts(natter, customer, script.dataset)
  // Another tab may have removed the stored token.
  addEventListener('storage', () => renderFacts())
  // Only one tab holds the stream for all tabs, so tell all of them.
  const otherTabs = new BroadcastChannel('acme-expire')
  otherTabs.onmessage = network.expireTokens
  const expire = () => {
    otherTabs.postMessage(null)
    network.expireTokens()
  }
  const opened = new Promise<void>(done => natter.on('open', done))
  const context = { natter, opened, customer, network: { idle: network.idle, set: setNetwork }, expire }
  const actions: Actions = { ...createActions(context), 'clear-log': log.clear }
  document.addEventListener('click', ({ target }) => {
    const isButton = '[data-do]:not([aria-disabled="true"])'
    const button = target instanceof Element ? target.closest<HTMLElement>(isButton) : null
    const action = actions[button?.dataset['do'] ?? '']
    if (button && action) void runAction(() => action(button))
  })

  createSteps(find('.steps'), natter)
  natter.on('auth', ({ state, reason }) => {
    // No names: the log stays on the page after signing out.
    logEvent(`auth: ${state}`, reason)
  })
  // The widget became ready before the script's load event, so this runs immediately.
  void natter.ready.then(() => logEvent('ready'))
  for (const event of ['open', 'close', 'show', 'hide'] as const) natter.on(event, () => logEvent(event))
  natter.on('message', ({ author, seq }) => logEvent(`message: ${seq}, ${author}`))
  natter.on('unread', ({ count }) => logEvent(`unread: ${count}`))
  natter.on('error', ({ code }) => logEvent(`error: ${code}`))

  await runAction(() => (state ? showState(state, context) : customer.start()))
}

/** Runs an action and logs its error. */
async function runAction(action: () => unknown): Promise<void> {
  try {
    await action()
  } catch (error) {
    logEvent(error instanceof Error ? error.message : String(error))
  }
}
