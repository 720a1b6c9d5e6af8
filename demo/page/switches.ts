/** What the panel lets one choose by address: a link a value. */
export const switches = {
  theme: { auto: 'Auto', light: 'Light', dark: 'Dark' },
  position: { end: 'End', start: 'Start' },
  mode: { floating: 'Floating', inline: 'Inline' },
  persist: { local: 'Local', session: 'Session', memory: 'Memory' },
  refresh: { off: 'Off', on: 'On' },
} as const

/** What can be chosen at once, without another page: how the network of this tab is played, … */
export const networks = {
  fine: 'As it is',
  slow: 'Slow: 8 s an answer',
  offline: 'Offline',
  streamless: 'Stream refused',
  refused: 'Messages refused',
  limited: 'Too many messages',
  historyless: 'History fails',
  botless: 'Bot unavailable',
} as const
export type NetworkName = keyof typeof networks

const tags = `en ar cs de es fa fr he hi id it ja ko nb nl pl pt-BR pt-PT ru tr uk ur vi zh-Hans zh-Hant`
/** … and the chat's language, each by its own name. */
export const locales: Record<string, string> = Object.fromEntries(
  tags.split(' ').map(tag => [tag, new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag]),
)

/** Everything that the widget can show, each by an address of its own. */
export const states = {
  'anonymous-empty': 'Anonymous, empty',
  'anonymous-talking': 'Anonymous, talking',
  identifying: 'Identifying',
  identified: 'Identified',
  restoring: 'Restoring',
  offline: 'Offline',
  reconnecting: 'Reconnecting',
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

/** What holds where nothing is chosen; a state is none by itself. */
export const presets: Omit<Chosen, 'state'> = {
  theme: 'auto',
  position: 'end',
  mode: 'floating',
  persist: 'local',
  refresh: 'off',
  locale: 'en',
  network: 'fine',
}

/** What an address chooses; what it doesn't, or what there is none of, is `undefined`. */
export function chosen(search: string): Partial<Chosen> {
  const given = [...new URLSearchParams(search)]
  return Object.fromEntries(
    given.filter(([name, value]) => Object.hasOwn(choices, name) && Object.hasOwn(choices[name as ChoiceName], value)),
  )
}

/** The address that chooses this besides. A state is a beginning of its own: only how the chat looks stays as it is. */
export function addressWith(search: string, name: ChoiceName, value: string): string {
  const query = new URLSearchParams(chosen(search))
  const ended = name === 'state' ? ['state', 'network', 'persist', 'refresh'] : ['state']
  for (const each of ended) query.delete(each)
  if (value === { ...presets, state: '' }[name]) query.delete(name)
  else query.set(name, value)
  return `/?${query}`
}
