import type { Bot, BotChanges, NotFound, Organization, OrganizationToken } from '../records.ts'

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
