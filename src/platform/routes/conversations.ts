import type { Context } from 'hono'
import type { TeamConversations } from '../domain/teamConversations.ts'
import { idempotently } from '../http/idempotency.ts'
import type { ConversationKey } from '../store/store.ts'
import type { EndpointContext, Handlers } from './handler.ts'

/** The organization's endpoints for conversations. */
export const conversationHandlers = (conversations: TeamConversations) => {
  const send = async (
    c: EndpointContext<'sendConversationMessage'> | EndpointContext<'sendContactMessage'>,
    which: ConversationKey,
  ): Promise<Response> => {
    const sent = await idempotently(c, key => conversations.send(c.get('scope'), which, c.get('body'), key))
    if (!sent) return c.body(null, 204)
    return c.json({ data: sent.message }, sent.repeated ? 200 : 201)
  }
  const showTyping = async (
    c: EndpointContext<'showConversationTyping'> | EndpointContext<'showContactTyping'>,
    which: ConversationKey,
  ): Promise<Response> => {
    await conversations.showTyping(c.get('scope'), which, c.get('body'))
    return c.body(null, 204)
  }
  const setClosed = async (
    c: EndpointContext<'closeConversation'> | EndpointContext<'reopenConversation'>,
    isClosed: boolean,
  ): Promise<Response> => {
    const conversationId = c.req.param('conversationId') ?? ''
    await idempotently(c, key => conversations.setClosed(c.get('scope'), conversationId, isClosed, key))
    return c.body(null, 204)
  }
  return {
    listConversations: c => conversations.list(c.get('scope'), c.get('query')),
    listConversationMessages: async c => ({
      data: await conversations.listMessages(c.get('scope'), conversationOf(c), c.get('query')),
    }),
    sendConversationMessage: c => send(c, conversationOf(c)),
    deleteConversationMessage: c => conversations.deleteMessage(c.get('scope'), conversationOf(c), messageIdOf(c)),
    deleteContactMessage: c => conversations.deleteMessage(c.get('scope'), contactOf(c), messageIdOf(c)),
    listContactMessages: async c => ({
      data: await conversations.listMessages(c.get('scope'), contactOf(c), c.get('query')),
    }),
    sendContactMessage: c => send(c, contactOf(c)),
    closeConversation: c => setClosed(c, true),
    reopenConversation: c => setClosed(c, false),
    showConversationTyping: c => showTyping(c, conversationOf(c)),
    showContactTyping: c => showTyping(c, contactOf(c)),
  } satisfies Partial<Handlers>
}

const conversationOf = (c: Context): ConversationKey => ({ conversationId: c.req.param('conversationId') ?? '' })
const messageIdOf = (c: Context): string => c.req.param('messageId') ?? ''
const contactOf = (c: Context): ConversationKey => ({ contactId: c.req.param('contactId') ?? '' })
