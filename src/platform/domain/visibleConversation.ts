import type { Bot, BotScope, ConversationStore, MemberRow, OrganizationStore } from '../store/store.ts'
import { isId } from './ids.ts'
import { notFound } from './problem.ts'

export interface VisibleConversation {
  bot: Bot
  scope: BotScope
  /** `null` if the visitor is a guest. */
  contactId: string | null
}

/**
 * Resolves to whose a conversation is, if the member sees its bot. Throws the same 404 for any other, whether it exists or not.
 */
export async function requireVisibleConversation(
  store: Pick<ConversationStore, 'findConversation'> & Pick<OrganizationStore, 'findBot'>,
  { organizationId, botIds }: Pick<MemberRow, 'organizationId' | 'botIds'>,
  conversationId: string,
): Promise<VisibleConversation> {
  const conversation = isId(conversationId) ? await store.findConversation(conversationId) : null
  const bot = conversation && (await store.findBot(conversation.botId))
  if (!bot || bot.organizationId !== organizationId || botIds?.includes(bot.id) === false) throw notFound()
  return { bot, scope: { organizationId, botId: bot.id }, contactId: conversation.contact?.id ?? null }
}
