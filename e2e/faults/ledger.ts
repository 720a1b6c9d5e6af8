/** What the clients know about the platform's data: writes that were acknowledged, and writes whose outcome is unknown. */
export interface Ledger {
  contacts: KnownContact[]
  groups: KnownGroup[]
  tokens: KnownToken[]
  /** Contacts that must have exactly one open session: their token was requested under one idempotency key until it arrived. */
  singleSessionContacts: { contactId: string }[]
  conversations: KnownConversation[]
  /** Ids of messages that were delivered to the events webhook. */
  webhookMessageIds: Set<string>
  /** How many turns the platform gave up, as counted by the consistency checks. */
  abandonedTurns: number
  /** Descriptions of responses that must never occur. */
  violations: string[]
  acknowledged: number
  lost: number
}

export interface KnownContact {
  email: string
  id?: string
  /** The versions that the contact may have: exactly one, unless a response was lost. */
  versions: number[]
  state: 'present' | 'unknown' | 'deleted'
}

/** Contacts that are always upserted together. Version 0 means that they do not exist. */
export interface KnownGroup {
  emails: string[]
  versions: number[]
}

export interface KnownToken {
  token: string
  state: 'open' | 'ended' | 'unknown'
}

export interface KnownConversation {
  /** In the order in which they were sent. All of them were acknowledged. */
  messages: { id: string; word: string }[]
}

export const createLedger = (): Ledger => ({
  ...{ contacts: [], groups: [], tokens: [], singleSessionContacts: [], conversations: [] },
  ...{ webhookMessageIds: new Set(), abandonedTurns: 0, violations: [], acknowledged: 0, lost: 0 },
})

/** The fields of a contact in the given version. After a partial update they would disagree. */
export const fieldsOf = (email: string, version: number): Record<'name' | 'email' | 'phone' | 'mid', string> => ({
  name: `Version ${version}`,
  email,
  phone: `${version}`,
  mid: `v${version}`,
})

/** The version of a contact, or `NaN` if its fields disagree. */
export function versionOf({ name, phone, mid }: { name: string; phone: string; mid: string }): number {
  const version = Number(phone)
  return name === `Version ${version}` && mid === `v${version}` ? version : Number.NaN
}

/** Words so different from each other that a question matches only its own answer. */
export const words = (
  'aardvark bergamot cinnabar dromedary eucalyptus flamingo gargoyle hyacinth isotherm juniper kumquat labyrinth mandolin ' +
  'nasturtium obsidian paprika quicksand rhubarb sassafras tambourine umbrella vermilion walnut xylophone yarrow zeppelin'
).split(' ')
export const answerTo = (word: string): string => `The answer about ${word}.`
/** The bot's content: an answer to each of the words. */
export const answers: Record<string, string> = Object.fromEntries(words.map(word => [word, answerTo(word)]))

/** One line for the test report. */
export const summarize = ({
  acknowledged,
  lost,
  contacts,
  groups,
  tokens,
  conversations,
  abandonedTurns,
}: Ledger): string =>
  `${acknowledged} calls acknowledged, ${lost} lost; ${contacts.length} contacts, ${groups.length} groups of upserts, ` +
  `${tokens.length} tokens, ${conversations.length} conversations checked, ${abandonedTurns} turns given up`
