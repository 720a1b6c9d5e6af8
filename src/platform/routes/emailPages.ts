import type { Clock } from '../clock.ts'
import { chatUrl } from '../domain/bots.ts'
import type { EmailConfirmations } from '../domain/emailConfirmations.ts'
import { hashToken } from '../domain/tokens.ts'
import { type PageContent, pageHeaders, renderPage } from '../email/renderPage.ts'
import type { AppContext } from '../http/appEnv.ts'
import { readBytes } from '../http/readBody.ts'
import type { Store } from '../store/store.ts'
import { emailTextsIn } from '../texts/botTexts.ts'
import type { OtherRoutes } from './handler.ts'

export interface EmailPagesOptions {
  store: Pick<Store, 'findBot' | 'findUnsubscribeLink' | 'setEmailsEnded'>
  confirmations: EmailConfirmations
  clock: Pick<Clock, 'setTimeout'>
}

const maxFormBytes = 4096

/**
 * The pages to which emails link, for GET and POST. A GET changes nothing: programs that check mails follow their links. A POST
 * without a form of the page is the one click of a mail program (RFC 8058).
 */
export function emailPages({ store, confirmations, clock }: EmailPagesOptions): OtherRoutes {
  const show = (c: AppContext, page: PageContent) => c.body(renderPage(page), 200, pageHeaders)
  return {
    '/email/confirm/{token}': async c => {
      const token = c.req.param('token') ?? ''
      const isPost = c.req.method === 'POST'
      const link = await (isPost ? confirmations.confirm(token) : confirmations.find(token))
      const bot = link && (await store.findBot(link.botId))
      const { locale, texts } = emailTextsIn(link?.locale ?? bot?.locale ?? '')
      if (!bot) return show(c, { locale, text: texts.linkEnded })
      if (!isPost)
        return show(c, { locale, text: texts.askConfirm, button: { text: texts.confirm, action: 'confirm' } })
      const chat = bot.siteUrl ? { link: { text: texts.openChat, url: chatUrl(bot) } } : {}
      return show(c, { locale, text: texts.confirmed, ...chat })
    },
    '/email/unsubscribe/{token}': async c => {
      const link = await store.findUnsubscribeLink(hashToken(c.req.param('token') ?? ''))
      const bot = link && (await store.findBot(link.botId))
      const { locale, texts } = emailTextsIn(bot?.locale || (link?.locale ?? ''))
      if (!link) return show(c, { locale, text: texts.linkEnded })
      const stop = { text: texts.askUnsubscribe, button: { text: texts.unsubscribe, action: 'stop' } }
      const stopped = { text: texts.unsubscribed, button: { text: texts.resubscribe, action: 'resume' } }
      if (c.req.method !== 'POST') return show(c, { locale, ...(link.emailsEnded === 'unsubscribed' ? stopped : stop) })
      const form = new URLSearchParams((await readBytes(c, maxFormBytes, clock)).toString())
      const resumes = form.get('action') === 'resume'
      await store.setEmailsEnded(link, resumes ? null : 'unsubscribed')
      return show(c, { locale, ...(resumes ? { ...stop, text: texts.resubscribed } : stopped) })
    },
  }
}
