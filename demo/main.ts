import type { WidgetHandle } from 'natter'
import { type Actions, createActions } from './page/actions.ts'
import { drawChoices } from './page/choices.ts'
import { createCustomer } from './page/customer.ts'
import { showFacts } from './page/facts.ts'
import { createLog, type Line } from './page/log.ts'
import { createNetwork } from './page/network.ts'
import { shop } from './page/session.ts'
import { enact, networkOf } from './page/states.ts'
import { blockStorage } from './page/storage.ts'
import { chosen, type NetworkName } from './page/switches.ts'
import { createTabs } from './page/tabs.ts'
import { createTraffic } from './page/traffic.ts'

const find = <Kind extends HTMLElement>(selector: string) => document.querySelector<Kind>(selector) as Kind
const { state, network: begun = networkOf(state) } = chosen(location.search)
if (state === 'storage-blocked') blockStorage()

const script = find<HTMLScriptElement>('#natter')
const { botId = '', baseUrl = '' } = script.dataset
const log = createLog(find('[data-log]'))
/** Draws the facts again, once there is a widget to ask. */
let paint = () => {}
const tell = (line: Line) => {
  log.add(line)
  paint()
}
const say = (text: string, detail?: string) => tell({ lane: 'event', text, detail })

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
  onLine: tell,
  onSearched({ searched, found }) {
    find('[data-searched]').textContent = `${found} of ${searched}`
    find('[data-proof]').classList.toggle('bad', found > 0)
  },
})
const setNetwork = (name: NetworkName) => {
  find<HTMLSelectElement>('#network').value = name
  network.set(name)
}
drawChoices(find('.inspector'), {
  onTab: createTabs(find('[role="tablist"]')),
  onSelect(name, value) {
    if (name === 'network') setNetwork(value as NetworkName)
    else window.Natter?.setLocale(value)
  },
})

setNetwork(begun)

// This module comes before the widget's script, which is deferred like it: nothing that it asks for is missed.
script.addEventListener('load', () => void run(window.Natter))
script.addEventListener('error', () => {
  find('[data-session]').textContent = 'not available: the script of the chat could not be loaded'
})

async function run(natter: WidgetHandle): Promise<void> {
  const customer = createCustomer(natter, () => paint())
  paint = () => showFacts(natter, customer, script.dataset)
  // Another tab may have taken the kept token away.
  addEventListener('storage', () => paint())
  // What the script's tag names where the switch is on.
  Object.assign(window, { newContactToken: shop.chatToken })
  // One tab holds the stream for all of them: whichever it is, it has to hear of it.
  const others = new BroadcastChannel('acme-expire')
  others.onmessage = ({ data }) => network.expire(data)
  const expire = async () => {
    const token = (await shop.chatToken()) ?? ''
    others.postMessage(token)
    network.expire(token)
  }
  const opened = new Promise<void>(done => natter.on('open', done))
  const stage = { natter, opened, customer, network: { idle: network.idle, set: setNetwork }, expire }
  const actions: Actions = { ...createActions(stage), 'clear-log': log.clear }
  document.addEventListener('click', ({ target }) => {
    const isButton = '[data-do]:not([aria-disabled="true"])'
    const button = target instanceof Element ? target.closest<HTMLElement>(isButton) : null
    const action = actions[button?.dataset['do'] ?? '']
    if (button && action) void attempt(() => action(button))
  })

  natter.on('auth', ({ state, reason }) => {
    // No names: what is written here stays on the page after signing out.
    say(`auth: ${state}`, reason)
  })
  // It has been since before the script's load event.
  void natter.ready.then(() => say('ready'))
  for (const event of ['open', 'close', 'show', 'hide'] as const) natter.on(event, () => say(event))
  natter.on('message', ({ author, seq }) => say(`message: ${seq}, ${author}`))
  natter.on('unread', ({ count }) => say(`unread: ${count}`))
  natter.on('error', ({ code }) => say(`error: ${code}`))

  await attempt(() => (state ? enact(state, stage) : customer.start()))
}

/** What fails is said in the log. */
async function attempt(action: () => unknown): Promise<void> {
  try {
    await action()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  }
}
