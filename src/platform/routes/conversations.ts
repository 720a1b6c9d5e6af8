import type { Agents } from '../domain/agents.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'
import type { BotScope, ConversationKey } from '../store/store.ts'
import type { HandlerContext, Handlers } from './handlerContext.ts'
import { jsonResponse } from './jsonResponse.ts'

type Names =
  | 'listConversations'
  | 'listConversationMessages'
  | 'sendConversationMessage'
  | 'listContactMessages'
  | 'sendContactMessage'

/** The organization's endpoints for conversations (decisions 5). */
export const conversationRoutes = (agents: Agents): Handlers<Names> => {
  const send = async (
    scope: BotScope,
    which: ConversationKey,
    body: HandlerContext<'sendConversationMessage'>['body'],
  ): Promise<HttpResponse> => {
    const sent = await agents.send(scope, which, body)
    if (!sent) return { status: 204 }
    return jsonResponse(sent.repeated ? 200 : 201, { data: sent.message })
  }
  return {
    listConversations: ({ scope, query }) => agents.list(scope, query),
    listConversationMessages: async ({ scope, parameters, query }) => ({
      data: await agents.listMessages(scope, conversationOf(parameters), query),
    }),
    sendConversationMessage: ({ scope, parameters, body }) => send(scope, conversationOf(parameters), body),
    listContactMessages: async ({ scope, parameters, query }) => ({
      data: await agents.listMessages(scope, contactOf(parameters), query),
    }),
    sendContactMessage: ({ scope, parameters, body }) => send(scope, contactOf(parameters), body),
  }
}

const conversationOf = ({ conversationId = '' }: Record<string, string>): ConversationKey => ({ conversationId })
const contactOf = ({ contactId = '' }: Record<string, string>): ConversationKey => ({ contactId })
