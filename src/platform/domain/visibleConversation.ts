import type { DeskConversation } from '../../contract/desk.ts'
import type { Bot, DeskStore, MemberRow, OrganizationStore } from '../store/store.ts'
import { isId } from './ids.ts'
import { notFound } from './problem.ts'

/**
 * Resolves to a conversation of a bot that the member sees, with the bot. Throws the same 404 for any other, whether it exists or
 * not.
 */
export async function requireVisibleConversation(
  store: Pick<DeskStore, 'findDeskConversation'> & Pick<OrganizationStore, 'findBot'>,
  { organizationId, botIds }: Pick<MemberRow, 'organizationId' | 'botIds'>,
  conversationId: string,
): Promise<{ conversation: DeskConversation; bot: Bot }> {
  const conversation = isId(conversationId) ? await store.findDeskConversation(conversationId) : null
  const bot = conversation && (await store.findBot(conversation.botId))
  if (!bot || bot.organizationId !== organizationId || botIds?.includes(bot.id) === false) throw notFound()
  return { conversation, bot }
}
