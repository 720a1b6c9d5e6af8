import type { NotFound } from './common.ts'
import type { ConfirmationRequest } from './deliveryStore.ts'

/** What a link confirms. */
export interface ConfirmationLink {
  conversationId: string
  botId: string
  /** The language that the visitor's widget showed last; `null` if that is not known. */
  locale: string | null
}

/** The addresses that anonymous visitors leave. */
export interface VisitorEmailStore {
  /**
   * Keeps where the anonymous visitor of a session can be answered, in place of an address that was left before. Enqueues an
   * email that confirms it, unless there was one for this mailbox, the conversation has caused three, or the bot's visitors many today. `emailHash`: of the address; `mailboxHash`: of the organization and the mailbox, which many spellings of an address may name.
   * `not_found`: the session is a contact's, or the visitor has sent no message yet.
   */
  leaveEmail(
    hash: string,
    left: { email: string; emailHash: string; mailboxHash: string; locale?: string | undefined; at: string },
  ): Promise<'left' | 'ended' | NotFound>
  /**
   * Begins an attempt to send such an email, which contains a link with this token. Resolves to `null` if the address is
   * confirmed, or no longer the visitor's.
   */
  beginConfirmation(
    request: ConfirmationRequest['data'],
    link: { hash: string; at: string },
  ): Promise<{ to: string; locale: string | null } | null>
  /** Finds what a link confirms that was made after `since`, and has not been used. */
  findConfirmationLink(hash: string, since: string): Promise<ConfirmationLink | null>
  /** Confirms the address by such a link. No link to it works after that. Resolves to `null` if this one does not. */
  confirmEmail(hash: string, use: { at: string; since: string }): Promise<ConfirmationLink | null>
}
