import type { BotSettings } from '../../contract/deskBots.ts'
import type { BodyOf } from '../../contract/index.ts'
import type { Bot, BotChanges, MemberRow, OrganizationStore } from '../store/store.ts'
import { botTextsIn } from '../texts/botTexts.ts'
import { changeSettings } from './bots.ts'
import { listVisibleBots } from './members.ts'
import { fieldProblem, notFound } from './problem.ts'

/** The settings of bots that an admin changes at the desk. Secrets are neither read nor changed there. */
export type DeskBots = ReturnType<typeof createDeskBots>

export function createDeskBots(store: Pick<OrganizationStore, 'listBots' | 'updateBot'>) {
  async function find(member: MemberRow, botId: string): Promise<Bot> {
    const bot = (await listVisibleBots(store, member)).find(({ id }) => id === botId)
    if (!bot) throw notFound()
    return bot
  }

  return {
    retrieve: async (member: MemberRow, botId: string): Promise<BotSettings> => toSettings(await find(member, botId)),

    /** Changes only what is given: of two who change the same setting, the last one wins. */
    async update(
      member: MemberRow,
      botId: string,
      { prompt, ...given }: BodyOf<'updateBotSettings'>,
    ): Promise<BotSettings> {
      await changeSettings(
        store,
        () => find(member, botId),
        ({ responder }) => {
          const changes = given as BotChanges
          if (prompt === undefined) return { changes }
          if (responder.kind === 'openai') return { changes: { ...changes, responder: { ...responder, prompt } } }
          throw fieldProblem('/prompt', 'unknown', 'The responder of this bot has no prompt any more.')
        },
      )
      return toSettings(await find(member, botId))
    },
  }
}

function toSettings({ responder, locale, ...bot }: Bot): BotSettings {
  const { id, name, subtitle, avatar, accent, greeting, quickReplies, origins, images, handover, ratings } = bot
  const { attachments, eraseByVisitor, texts, hours } = bot
  const { greeting: _, ...defaultTexts } = botTextsIn(locale)
  return {
    ...{ id, name, subtitle, avatar, accent, greeting, quickReplies, origins },
    ...{ images, handover, ratings, attachments, eraseByVisitor, texts, hours, defaultTexts },
    responder: responder.kind,
    prompt: responder.kind === 'openai' ? responder.prompt : null,
  }
}
