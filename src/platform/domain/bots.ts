import type { Clock } from '../clock.ts'
import type { Bot, BotChanges, OrganizationStore } from '../store/store.ts'
import { botTextsIn } from '../texts/botTexts.ts'
import { createId } from './ids.ts'
import { timestamp } from './time.ts'

/** A new bot, with defaults for every setting that `settings` leaves out. It is not stored yet. */
export function createBotRow(
  settings: Pick<Bot, 'organizationId' | 'name'> & Partial<Bot>,
  clock: Pick<Clock, 'now'>,
): Bot {
  const now = clock.now()
  return {
    id: createId(now),
    subtitle: '',
    avatar: '',
    greeting: botTextsIn(settings.locale ?? '').greeting,
    quickReplies: [],
    accent: '',
    locale: 'en',
    images: false,
    handover: false,
    ratings: false,
    attachments: false,
    eraseByVisitor: false,
    visitors: 'everyone',
    hours: null,
    answersWhileWaiting: 'closed',
    origins: [],
    responder: { kind: 'faq' },
    events: null,
    limits: {},
    siteUrl: '',
    emailText: true,
    texts: {},
    createdAt: timestamp(now),
    ...settings,
  }
}

/**
 * Changes settings of a bot that depend on its present ones. Calls `decide` again if somebody else has changed those in
 * between, since that change would be lost otherwise. Resolves to what was decided.
 */
export async function changeSettings<Decision extends { changes: BotChanges }>(
  store: Pick<OrganizationStore, 'updateBot'>,
  find: () => Promise<Bot>,
  decide: (bot: Bot) => Decision,
): Promise<Decision> {
  for (;;) {
    const bot = await find()
    const { origins, responder, events, limits, texts, hours } = bot
    const decision = decide(bot)
    const expected = { origins, responder, events, limits, texts, hours }
    if ((await store.updateBot(bot.id, decision.changes, expected)) !== 'conflict') return decision
  }
}

/** Where people open the chat of a bot that has a site. */
export function chatUrl({ siteUrl }: Pick<Bot, 'siteUrl'>): string {
  const url = new URL(siteUrl)
  url.hash = 'natter'
  return url.href
}
