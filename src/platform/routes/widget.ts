import type { BotProfile } from '../../contract/index.ts'
import { openingsAfter } from '../../contract/openings.ts'
import type { Clock } from '../clock.ts'
import { notFound } from '../domain/problem.ts'
import type { Sessions } from '../domain/sessions.ts'
import type { VisitorConversations } from '../domain/visitorConversations.ts'
import type { Bot } from '../store/store.ts'
import { withEtag } from './cachedResponse.ts'
import type { Handlers } from './handler.ts'

/** The widget's endpoints, except the event stream. */
export const widgetHandlers = (
  sessions: Sessions,
  conversations: VisitorConversations,
  { agentPauseMs, sendsEmail, clock }: { agentPauseMs: number; sendsEmail: boolean; clock: Clock },
) =>
  ({
    retrieveBotProfile: async c =>
      withEtag(c, JSON.stringify({ data: profileOf(c.get('bot'), agentPauseMs, sendsEmail, clock.now()) }), {
        'content-type': 'application/json',
        'cache-control': 'public, max-age=60',
      }),
    createVisitorSession: async c => ({ data: await sessions.createVisitor(c.get('bot').id) }),
    retrieveSession: async c => ({ data: await conversations.state(c.get('session')) }),
    retrieveSessionWithNonce: async c => ({
      data: await conversations.state(c.get('session')),
      nonce: c.get('body').nonce,
    }),
    async leaveEmail(c) {
      if (!sendsEmail || !c.get('bot').siteUrl) throw notFound()
      await conversations.leaveEmail(c.get('session'), c.get('bot'), c.get('body'))
    },
    endSession: c => sessions.end(c.get('session')),
    listMessages: c => conversations.list(c.get('session'), c.get('query')),
    async listMessagesWithNonce(c) {
      const { nonce, ...page } = c.get('body')
      return { ...(await conversations.list(c.get('session'), page)), nonce }
    },
    async sendMessage(c) {
      const { message, repeated } = await conversations.send(c.get('session'), c.get('body'))
      return c.json({ data: message }, repeated ? 200 : 201)
    },
    async rateMessage(c) {
      if (!c.get('bot').ratings) throw notFound()
      return { data: await conversations.rate(c.get('session'), c.get('body')) }
    },
    markRead: c => conversations.markRead(c.get('session'), c.get('body').seq),
    stopReply: c => conversations.stopReply(c.get('session'), c.get('body').id),
    requestHandover: c => conversations.requestHandover(c.get('session'), c.get('bot')),
    retrieveContactData: async c => ({
      data: await conversations.contactData(c.get('session'), c.get('bot')),
      nonce: c.get('body').nonce,
    }),
    eraseContact: c => conversations.eraseContact(c.get('session'), c.get('bot')),
  }) satisfies Partial<Handlers>

/** The public part of a bot. Fields are listed one by one, so that new fields stay private by default. */
const profileOf = (bot: Bot, agentPauseMs: number, sendsEmail: boolean, now: number): BotProfile => ({
  id: bot.id,
  name: bot.name,
  subtitle: bot.subtitle,
  avatar: bot.avatar,
  greeting: bot.greeting,
  quickReplies: bot.quickReplies,
  accent: bot.accent,
  locale: bot.locale,
  images: bot.images,
  handover: bot.handover,
  agentPauseSeconds: Math.ceil(agentPauseMs / 1000),
  ratings: bot.ratings,
  attachments: bot.attachments,
  eraseByVisitor: bot.eraseByVisitor,
  email: sendsEmail && bot.siteUrl !== '',
  visitors: bot.visitors,
  openings: openingsAfter(bot.hours, now),
})
