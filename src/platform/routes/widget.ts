import type { BotProfile } from '../../contract/index.ts'
import type { Conversations } from '../domain/conversations.ts'
import type { Sessions } from '../domain/sessions.ts'
import type { Bot } from '../store/store.ts'
import type { Handlers } from './handlerContext.ts'
import { jsonResponse } from './jsonResponse.ts'
import { withEtag } from './withEtag.ts'

type Names =
  | 'retrieveBotProfile'
  | 'createVisitorSession'
  | 'retrieveSession'
  | 'retrieveSessionWithNonce'
  | 'endSession'
  | 'listMessages'
  | 'listMessagesWithNonce'
  | 'sendMessage'
  | 'markRead'

/** The widget's endpoints (decisions 5), except the event stream. */
export const widgetRoutes = (sessions: Sessions, conversations: Conversations): Handlers<Names> => ({
  retrieveBotProfile: ({ bot, request }) =>
    withEtag(request, JSON.stringify({ data: profileOf(bot) }), {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
    }),
  createVisitorSession: async ({ bot }) => ({ data: await sessions.createVisitor(bot.id) }),
  retrieveSession: async ({ session }) => ({ data: await conversations.state(session) }),
  retrieveSessionWithNonce: async ({ session, body: { nonce } }) => ({
    data: await conversations.state(session),
    nonce,
  }),
  endSession: ({ session }) => sessions.end(session),
  listMessages: async ({ session, query }) => ({ data: await conversations.list(session, query) }),
  listMessagesWithNonce: async ({ session, body: { nonce, ...page } }) => ({
    data: await conversations.list(session, page),
    nonce,
  }),
  async sendMessage({ session, body }) {
    const { message, repeated } = await conversations.send(session, body)
    return jsonResponse(repeated ? 200 : 201, { data: message })
  },
  markRead: ({ session, body }) => conversations.markRead(session, body.seq),
})

/** The public part of a bot. Fields are listed one by one, so that new fields stay private by default. */
const profileOf = ({ id, name, avatar, greeting, quickReplies, accent, locale, images }: Bot): BotProfile => ({
  id,
  name,
  avatar,
  greeting,
  quickReplies,
  accent,
  locale,
  images,
})
