/** The choices of the control panel that reload the page, with their labels. */
export const switches = {
  theme: { auto: 'Auto', light: 'Light', dark: 'Dark' },
  position: { end: 'End', start: 'Start' },
  mode: { floating: 'Floating', inline: 'Inline' },
  persist: { local: 'Local', session: 'Session', memory: 'Memory' },
} as const

/** Simulated networks of this tab, which apply without a page load. */
export const networks = {
  fine: 'As it is',
  slow: 'Slow: 8 s an answer',
  offline: 'Offline',
  streamless: 'Stream refused',
  stalled: 'Answers stall',
  refused: 'Messages refused',
  limited: 'Too many messages',
  historyless: 'History fails',
  botless: 'Bot unavailable',
} as const
export type NetworkName = keyof typeof networks

const tags = `en ar cs de es fa fr he hi id it ja ko nb nl pl pt-BR pt-PT ru tr uk ur vi zh-Hans zh-Hant`
/** The chat's languages by their own names, which apply without a page load. */
export const locales: Record<string, string> = Object.fromEntries(
  tags.split(' ').map(tag => [tag, new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag]),
)

/** All states of the widget, each with its own URL. */
export const states = {
  'anonymous-empty': 'Anonymous, empty',
  'anonymous-talking': 'Anonymous, talking',
  identifying: 'Identifying',
  identified: 'Identified',
  restoring: 'Restoring',
  offline: 'Offline',
  reconnecting: 'Reconnecting',
  answering: 'Answering',
  sources: 'Answer with sources',
  files: 'Files',
  removed: 'Message removed',
  'person-requested': 'Person requested',
  'agent-joined': 'Person joined',
  'handed-back': 'Handed back',
  preview: 'Preview',
  'message-failed': 'Message failed',
  'history-failed': 'History failed',
  revoked: 'Ended: revoked',
  expired: 'Ended: expired',
  deleted: 'Ended: deleted',
  'rate-limited': 'Rate limited',
  'bot-unavailable': 'Bot unavailable',
  'panel-failed': 'Panel not loaded',
  'storage-blocked': 'Storage blocked',
} as const
export type StateName = keyof typeof states

const choices = { ...switches, locale: locales, network: networks, state: states }
export type ChoiceName = keyof typeof choices
type Chosen = { [Name in ChoiceName]: keyof (typeof choices)[Name] & string }

/** The defaults. There is none for `state`. */
export const defaults: Omit<Chosen, 'state'> = {
  theme: 'auto',
  position: 'end',
  mode: 'floating',
  persist: 'local',
  locale: 'en',
  network: 'fine',
}

/** The valid choices of a URL. Others are `undefined`. */
export function readChoices(search: string): Partial<Chosen> {
  const entries = [...new URLSearchParams(search)]
  return Object.fromEntries(
    entries.filter(
      ([name, value]) => Object.hasOwn(choices, name) && Object.hasOwn(choices[name as ChoiceName], value),
    ),
  )
}

/** The URL with one choice changed. Choosing a state resets other choices except for the appearance. */
export function urlWithChoice(search: string, name: ChoiceName, value: string): string {
  const query = new URLSearchParams(readChoices(search))
  const reset = name === 'state' ? ['state', 'network', 'persist'] : ['state']
  for (const each of reset) query.delete(each)
  if (value === { ...defaults, state: '' }[name]) query.delete(name)
  else query.set(name, value)
  return `/?${query}`
}
