/** What the panel lets one choose by address: a link a value, the first one is the default. */
export const switches = {
  theme: { auto: 'Auto', light: 'Light', dark: 'Dark' },
  position: { end: 'End', start: 'Start' },
  mode: { floating: 'Floating', inline: 'Inline' },
} as const

/** How the network of this tab is: the page plays it, the platform isn't asked. */
export const networks = {
  fine: 'As it is',
  slow: 'Slow: 5 s an answer',
  offline: 'Offline',
  streamless: 'Stream refused',
  refused: 'Messages refused',
  limited: 'Too many messages',
  historyless: 'History fails',
  botless: 'Bot unavailable',
} as const
export type NetworkName = keyof typeof networks

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

const choices = { ...switches, network: networks, state: states }
type Choices = typeof choices
export type ChoiceName = keyof Choices

/** What an address chooses; what it doesn't, or what there is none of, is `undefined`. */
export function chosen(search: string): { [Name in ChoiceName]?: keyof Choices[Name] } {
  const given = [...new URLSearchParams(search)]
  return Object.fromEntries(
    given.filter(([name, value]) => Object.hasOwn(choices, name) && Object.hasOwn(choices[name as ChoiceName], value)),
  )
}

/** The address that chooses this besides; a state is a beginning of its own, so one ends the other. */
export function addressWith(search: string, name: ChoiceName, value: string): string {
  const query = new URLSearchParams(chosen(search))
  query.delete('state')
  if (name === 'state') query.delete('network')
  const [preset] = Object.keys(choices[name])
  if (value === preset && name !== 'state') query.delete(name)
  else query.set(name, value)
  // Behind it the page finds again what was chosen last, for whoever uses a keyboard.
  return `/?${query}#${name}`
}
