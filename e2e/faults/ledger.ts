/** What clients of the platform know: what was acknowledged, and what may or may not have been done. */
export interface Ledger {
  contacts: KnownContact[]
  groups: KnownGroup[]
  tokens: KnownToken[]
  /** Contacts of whom exactly one session must be open: the token was asked for under a key until it came. */
  keyed: { contactId: string }[]
  conversations: KnownConversation[]
  /** Ids of messages that the events webhook has been told of. */
  told: Set<string>
  /** How many turns were given up, as the checks have found. */
  apologies: number
  /** What must never happen, in words. */
  violations: string[]
  acknowledged: number
  lost: number
}

export interface KnownContact {
  email: string
  id?: string
  /** The versions that it may have: one, unless an answer was lost. */
  versions: number[]
  is: 'there' | 'perhaps' | 'gone'
}

/** Contacts that are always upserted together; version 0 is that they are not there. */
export interface KnownGroup {
  emails: string[]
  versions: number[]
}

export interface KnownToken {
  token: string
  is: 'open' | 'ended' | 'perhaps'
}

export interface KnownConversation {
  /** In the order in which they were sent, all of them acknowledged. */
  messages: { id: string; word: string }[]
}

export const createLedger = (): Ledger => ({
  ...{ contacts: [], groups: [], tokens: [], keyed: [], conversations: [] },
  ...{ told: new Set(), apologies: 0, violations: [], acknowledged: 0, lost: 0 },
})

/** The fields of a contact in one of its versions: were an update half done, they would disagree. */
export const fieldsOf = (email: string, version: number): Record<'name' | 'email' | 'phone' | 'mid', string> => ({
  name: `Version ${version}`,
  email,
  phone: `${version}`,
  mid: `v${version}`,
})

/** The version that a contact shows, or `NaN` where its fields disagree. */
export function versionOf({ name, phone, mid }: { name: string; phone: string; mid: string }): number {
  const version = Number(phone)
  return name === `Version ${version}` && mid === `v${version}` ? version : Number.NaN
}

/** Words unlike each other, so that a question finds its own answer only. */
export const words = (
  'aardvark bergamot cinnabar dromedary eucalyptus flamingo gargoyle hyacinth isotherm juniper kumquat labyrinth mandolin ' +
  'nasturtium obsidian paprika quicksand rhubarb sassafras tambourine umbrella vermilion walnut xylophone yarrow zeppelin'
).split(' ')
export const answerTo = (word: string): string => `The answer about ${word}.`
