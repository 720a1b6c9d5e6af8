import type { Message } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { chatUrl } from '../domain/bots.ts'
import { timestamp } from '../domain/time.ts'
import { mintHexToken } from '../domain/tokens.ts'
import type { Bot, EmailRequest, Store, UnreadEmail } from '../store/store.ts'
import { emailTextsIn } from '../texts/botTexts.ts'
import { createMailer, type MailerOptions, type MailFailure } from './mailer.ts'
import { type MailContent, renderMail } from './renderMail.ts'

export interface EmailSenderOptions extends MailerOptions {
  store: Pick<Store, 'findBot' | 'beginUnreadEmail' | 'beginConfirmation' | 'setEmailsEnded'>
  clock: Pick<Clock, 'now'>
  /** The platform's public address. */
  baseUrl: string | undefined
}

/** Sends an email. Resolves to `null` once it was sent, to `obsolete` if there is nothing to say any more, or to why it failed. */
export type SendEmail = (request: EmailRequest, abortSignal: AbortSignal) => Promise<MailFailure | 'obsolete' | null>

/**
 * Creates what sends the emails of the outbox. An address that a server refuses gets no more emails. Throws if
 * `baseUrl` is missing, or another option is invalid.
 */
export function createEmailSender({ store, clock, baseUrl, ...options }: EmailSenderOptions): SendEmail {
  if (baseUrl === undefined) throw new Error('Emails need the public address of the platform: --base-url')
  const mailer = createMailer(options)
  return async ({ id, botId, ...request }, abortSignal) => {
    const bot = await store.findBot(botId)
    if (!bot?.siteUrl) return 'obsolete'
    // Only its hash is stored, so each attempt has a link of its own.
    const { token, hash } = mintHexToken()
    const link = { hash, at: timestamp(clock.now()) }
    const pageUrl = (name: string) => `${baseUrl.replace(/\/+$/, '')}/email/${name}/${token}`
    if (request.type === 'email.confirmation') {
      const confirmation = await store.beginConfirmation(request.data, link)
      if (!confirmation) return 'obsolete'
      const mail = renderMail(confirmationMailOf(bot, confirmation.locale, pageUrl('confirm')))
      return mailer.send({ ...mail, to: confirmation.to, id }, abortSignal)
    }
    const email = await store.beginUnreadEmail(request.data.conversationId, link)
    if (!email) return 'obsolete'
    const unsubscribeUrl = pageUrl('unsubscribe')
    const mail = renderMail(unreadMailOf(bot, email, unsubscribeUrl))
    const failure = await mailer.send({ ...mail, to: email.to, id, unsubscribeUrl }, abortSignal)
    if (failure?.isAddressRefused) await store.setEmailsEnded(request.data, 'refused', email.to)
    return failure
  }
}

function unreadMailOf(
  bot: Bot,
  { locale: widgetLocale, messages, unread }: UnreadEmail,
  unsubscribeUrl: string,
): MailContent {
  const { locale, texts } = emailTextsIn(bot.locale || (widgetLocale ?? ''))
  const nameOf = (message?: Message) => message?.sender?.name ?? bot.name
  const quotes = messages.map(message => ({
    author: nameOf(message),
    text: [message.text, ...(message.attachments ?? []).map(({ name }) => `📎 ${name}`)].filter(Boolean).join('\n'),
  }))
  const more = unread > messages.length ? [{ text: texts.moreInChat }] : []
  return {
    locale,
    subject: fill(texts.unread, { name: nameOf(messages.at(-1)) }),
    paragraphs: bot.emailText ? [...quotes, ...more] : [],
    link: { text: texts.openChat, url: chatUrl(bot) },
    footer: {
      text: fill(texts.unreadReason, { site: new URL(bot.siteUrl).host }),
      link: { text: texts.unsubscribe, url: unsubscribeUrl },
    },
  }
}

/** It has nothing of the conversation: anybody may have entered the address. */
function confirmationMailOf(bot: Bot, widgetLocale: string | null, url: string): MailContent {
  const { locale, texts } = emailTextsIn(widgetLocale ?? bot.locale)
  return {
    locale,
    subject: texts.confirmAddress,
    paragraphs: [{ text: texts.confirmHint }],
    link: { text: texts.confirm, url },
    footer: { text: fill(texts.confirmReason, { site: new URL(bot.siteUrl).host }) },
  }
}

/** Puts values in the place of `{name}`. A value may contain anything. */
const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
