import type {
  answersWhileWaitingChoices,
  BotProfile,
  Hours,
  ResponderSettings,
  SigningSecrets,
} from '../../../contract/index.ts'
import type { TextReplacements } from '../../texts/english.ts'
import type { NotFound } from './common.ts'

export interface Organization {
  id: string
  name: string
  createdAt: string
}

/** A bot with its configuration. `isAllowedOrigin` explains the patterns of `origins`. */
export interface Bot extends Omit<BotProfile, 'agentPauseSeconds' | 'email' | 'openings'> {
  organizationId: string
  origins: string[]
  responder: ResponderSettings
  /** The webhook that gets signed events. `authors`: also of the messages of others than visitors. */
  events: ({ url: string; authors?: 'all' } & SigningSecrets) | null
  /** When people of the team are there; `null`: always. */
  hours: Hours | null
  /** When the responder also answers visitors who wait for a person. */
  answersWhileWaiting: (typeof answersWhileWaitingChoices)[number]
  limits: BotLimits
  /** The page with the chat, to which emails lead; `''`: it sends no emails. */
  siteUrl: string
  /** Whether emails contain the texts of messages. */
  emailText: boolean
  /** What it says in place of the texts in its language. */
  texts: TextReplacements
  createdAt: string
}

/** The limits of one bot. For absent ones the node's defaults apply. */
export interface BotLimits {
  /** The responder's replies per day (UTC); by default there is no limit. */
  turnsPerDay?: number
  /** The responder's replies per minute. */
  turnsPerMinute?: number
  /** The responder's replies per minute to one conversation. */
  conversationTurnsPerMinute?: number
  /** New anonymous sessions per minute. */
  sessionsPerMinute?: number
  /** The largest file, in MiB. */
  attachmentMegabytes?: number
  /** MiB of files per day (UTC) of one conversation. */
  conversationMegabytesPerDay?: number
  /** MiB of files per day (UTC) of all conversations. */
  botMegabytesPerDay?: number
}
export type BotChanges = Partial<Omit<Bot, 'id' | 'organizationId' | 'visitors' | 'createdAt'>>

export interface OrganizationToken {
  hash: string
  /** The first characters, so that people can tell tokens apart. */
  prefix: string
  organizationId: string
  dev: boolean
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** Organizations, their tokens and their bots. */
export interface OrganizationStore {
  createOrganization(organization: Organization): Promise<void>
  listOrganizations(): Promise<Organization[]>

  createOrganizationToken(token: OrganizationToken): Promise<void>
  listOrganizationTokens(organizationId?: string): Promise<OrganizationToken[]>
  /** Also finds a revoked token. */
  findOrganizationToken(hash: string): Promise<OrganizationToken | null>
  /** Records when a token was last used. */
  touchOrganizationToken(hash: string, at: string): Promise<void>
  /** Revokes the tokens with this prefix, or all that `--dev` has created; resolves to how many. */
  revokeOrganizationTokens(which: { prefix: string } | { dev: true }, at: string): Promise<number>

  createBot(bot: Bot): Promise<void>
  /** All bots, or those of one organization. */
  listBots(organizationId?: string): Promise<Bot[]>
  findBot(botId: string): Promise<Bot | null>
  /**
   * Resolves to the bot after the changes. Changes nothing and resolves to `conflict` if one of its settings is not the
   * `expected` one: a caller that computes new settings from those it has read gives the latter.
   */
  updateBot(botId: string, changes: BotChanges, expected?: BotChanges): Promise<Bot | NotFound | 'conflict'>
  /**
   * Changes who may talk to the bot. `contacts` also ends its anonymous sessions (`revoked`), which the sweep then finds.
   */
  setVisitors(botId: string, visitors: Bot['visitors'], at: string): Promise<Bot | NotFound>
}
