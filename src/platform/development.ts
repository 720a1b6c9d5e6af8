import { type Clock, systemClock } from './clock.ts'
import { createBotRow } from './domain/bots.ts'
import { createOrganizationRow, issueOrganizationToken } from './domain/organizations.ts'
import { timestamp } from './domain/time.ts'
import { hashToken } from './domain/tokens.ts'
import type { Bot, Store } from './store/store.ts'

/** The access data that `--dev` prints. The token is not shown again. */
export interface DevelopmentAccess {
  botId: string
  botName: string
  organizationId: string
  organizationToken: string
}

export interface DevelopmentOptions {
  /** Whether the platform has content from which a first bot can answer. */
  content?: boolean
  /** Whether a first bot takes files, asks for ratings, and lets visitors talk to a person. Default: no, like any new bot. */
  showcase?: boolean
  /** A token of an earlier start to keep, if it still works. Default: the earlier ones end. */
  keepToken?: string | undefined
  clock?: Clock
}

/** The name of the bot that `--dev` creates, and its greeting and quick replies if there is content. */
const firstBotName = 'Acme Outfitters'
const firstBotTexts = {
  subtitle: 'Answers at once, day and night',
  greeting: 'Hello!\nAsk me about orders, returns or sizes. What can I do for you?',
  quickReplies: ['Where is my order?', 'Return something', 'Size guide'],
}
const showcaseSettings = { attachments: true, handover: true, ratings: true }

/**
 * Returns an organization, a bot and an organization token for development. Creates the organization and the bot if the
 * store has none, and a token that replaces those of earlier starts unless one is kept.
 */
export async function prepareDevelopment(
  store: Store,
  { content = false, showcase = false, keepToken, clock = systemClock }: DevelopmentOptions = {},
): Promise<DevelopmentAccess> {
  const kept = keepToken === undefined ? null : await store.findOrganizationToken(hashToken(keepToken))
  const isKept = kept !== null && kept.revokedAt === null
  const [existing] = await store.listBots(isKept ? kept.organizationId : undefined)
  const { id, name, organizationId } = existing ?? (await createFirstBot(store, { content, showcase, clock }))
  if (keepToken !== undefined && isKept && kept.organizationId === organizationId)
    return { botId: id, botName: name, organizationId, organizationToken: keepToken }
  await revokeDevelopmentTokens(store, clock)
  const organizationToken = await issueOrganizationToken(store, organizationId, { dev: true, clock })
  return { botId: id, botName: name, organizationId, organizationToken }
}

/** Revokes the tokens of all starts with `--dev`; resolves to their number. */
export const revokeDevelopmentTokens = (store: Store, clock: Clock = systemClock): Promise<number> =>
  store.revokeOrganizationTokens({ dev: true }, timestamp(clock.now()))

async function createFirstBot(
  store: Store,
  { content, showcase, clock }: Required<Omit<DevelopmentOptions, 'keepToken'>>,
): Promise<Bot> {
  const [known] = await store.listOrganizations()
  const organization = known ?? createOrganizationRow('Development', clock)
  if (!known) await store.createOrganization(organization)
  const settings = { name: firstBotName, ...(content && firstBotTexts), ...(showcase && showcaseSettings) }
  const bot = createBotRow({ organizationId: organization.id, ...settings }, clock)
  await store.createBot(bot)
  return bot
}
