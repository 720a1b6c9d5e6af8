import type {
  AgentMessage,
  AgentTyping,
  AttachmentInput,
  Conversation,
  ConversationList,
  ConversationPage,
  Message,
  MessageList,
  MessageWithContext,
  Source,
  Upload,
} from '../contract/index.ts'
import { maxAttachmentBytes } from '../contract/limits.ts'
import { type CallOptions, checkArguments, type IdempotentOptions } from './callOptions.ts'
import { listAll } from './listAll.ts'
import { PagePromise } from './pagePromise.ts'
import type { EndpointCaller, RequestPayload } from './request.ts'

/** A conversation, by its id or by its contact's. */
export type ConversationTarget = string | { contactId: string }

/** The person of the team whom the visitor sees. */
export interface AgentIdentity {
  /** 1–80 characters. */
  name: string
  /** An https address of a picture. The page's Content-Security-Policy has to allow it. */
  avatar?: string | undefined
}

interface AgentMessageOptions {
  /** Default `plain`. */
  format?: 'plain' | 'markdown' | undefined
  /** A UUID. A repeated message with the same id is stored once. Default: a random UUID per call. */
  id?: string | undefined
  /** The person who writes. Default: the visitor sees "Team member". */
  as?: AgentIdentity | undefined
  /** Lets the responder answer again at once. Without it, an agent's message pauses the responder. */
  handBack?: boolean | undefined
  /** Where the answer has its content from, at most 8: the visitor sees numbered links. Titles have 1–200 characters. */
  sources?: Source[] | undefined
}

/**
 * A message of an agent: a `text` of at most 4000 characters, `attachments` or both. `attachments` are files that were
 * uploaded to the conversation before, at most 5. The ending of a name is made to match the type.
 */
export type AgentMessageSend = AgentMessageOptions &
  (
    | { text: string; attachments?: AttachmentInput[] | undefined }
    | { text?: string | undefined; attachments: AttachmentInput[] }
  )

/** The messages of a conversation. */
export interface ConversationMessages {
  /**
   * Lists the newest messages in ascending order. `limit`: 1–100, default 30. `before`: only messages with a lower `seq`.
   * Resolves to `[]` for a contact that has not written yet. A visitor's message has `context` if anything was known about
   * the visitor: `claimed` by the page, which anyone can forge, and `verified` by your server. A message with an `event`
   * has no text: the conversation was handed over to the team, or back to the responder. Rejects with `not_found` if there
   * is no such conversation or contact.
   * @example
   * const messages = await client.conversations.messages.list({ contactId: ada.id })
   */
  list(target: ConversationTarget, page?: MessageList, options?: CallOptions): Promise<MessageWithContext[]>
  /**
   * Sends a message as an agent. It reaches the open widget at once, and pauses the responder for a while. Rejects with
   * `id_reused` if the id belongs to another message.
   * @example
   * await client.conversations.messages.send({ contactId: ada.id }, { text: 'It is on its way.', as: { name: 'Nora' } })
   */
  send(target: ConversationTarget, message: AgentMessageSend, options?: CallOptions): Promise<Message>
  /**
   * Deletes a message of anybody, for example a pasted password. Its text is erased from the platform and from open widgets
   * at once; "This message was removed." is left. It can't be called back from backups, from webhooks that were delivered,
   * and from what a responder has read. A repetition is harmless. Rejects with `not_found` if there is no such message.
   * @example
   * await client.conversations.messages.delete(conversationId, message.id)
   */
  delete(target: ConversationTarget, messageId: string, options?: CallOptions): Promise<void>
}

/** A file to upload. */
export interface FileUpload {
  /** PNG, JPEG, WebP, GIF, PDF or plain text, at most 10 MiB. The content decides, not the type of the blob. */
  content: Blob | Uint8Array<ArrayBuffer>
  /** A UUID. The same file again with the same id is stored once. Default: a random UUID per call. */
  id?: string | undefined
}

/** The files of conversations. */
export interface ConversationAttachments {
  /**
   * Uploads a file, which a message to the same conversation then attaches within an hour. The bot needs
   * `--attachments yes`. Metadata of pictures is removed. Rejects with `file_refused` if the file is of another type,
   * damaged or has more than 40 megapixels, with `id_reused` if the id belongs to another file, with `body_too_large` if
   * the bot takes only smaller ones. Rejects with a `TypeError` above 10 MiB.
   * @example
   * const { id } = await client.conversations.attachments.upload(conversationId, { content: await openAsBlob('a.pdf') })
   * await client.conversations.messages.send(conversationId, { attachments: [{ id, name: 'a.pdf' }] })
   */
  upload(conversationId: string, file: FileUpload, options?: CallOptions): Promise<Upload>
  /**
   * Downloads a file of a message. A visitor has chosen it: never show it as a page of your site. Rejects with `not_found`
   * if there is no such file.
   */
  download(conversationId: string, attachmentId: string, options?: CallOptions): Promise<Blob>
  /**
   * Deletes a file that was uploaded here and not sent. It no longer counts for the limits of the day. Rejects with
   * `not_found` if there is no such upload, if a message has the file, and if a lost response hid that it was deleted.
   */
  delete(conversationId: string, attachmentId: string, options?: CallOptions): Promise<void>
}

/** A bot's conversations, as its agents see them. */
export interface Conversations {
  /**
   * Lists conversations, latest message first. `await` resolves to one page. `limit`: 1–100, default 30. `after`: the `next`
   * of the previous page.
   *
   * `for await` yields all conversations and ignores `after` and `limit`; it requests pages of 100 when they are needed. It
   * yields no conversation twice. One that gets messages throughout the iteration may come at the end or be left out.
   * @example
   * for await (const { id, lastMessage } of client.conversations.list()) console.log(id, lastMessage.text)
   */
  list(page?: ConversationList, options?: CallOptions): PagePromise<ConversationPage, Conversation>
  messages: ConversationMessages
  attachments: ConversationAttachments
  /**
   * Shows "Nora is typing" in the open widget for 6 seconds, or until a message comes. Call it every few seconds while
   * the person types.
   * @example
   * await client.conversations.showTyping({ contactId: ada.id }, { as: { name: 'Nora' } })
   */
  showTyping(target: ConversationTarget, by?: { as?: AgentIdentity | undefined }, options?: CallOptions): Promise<void>
  /**
   * Lets the responder answer again, and tells the visitor so. It also ends a handover that nobody has answered. Rejects
   * with `not_found` if there is no such conversation or contact. A repeated call with the same `idempotencyKey` changes
   * nothing, even if an agent has taken over again since.
   */
  handBack(target: ConversationTarget, options?: IdempotentOptions): Promise<void>
  /**
   * Closes a conversation: nobody answers it until the visitor writes again. The visitor is not told. Rejects with
   * `not_found` if there is no such conversation.
   */
  close(conversationId: string, options?: IdempotentOptions): Promise<void>
  /**
   * Reopens a closed conversation: the responder answers it, or it waits for a person if the bot has none. Any other
   * conversation stays as it is. Rejects with `not_found` if there is no such conversation.
   */
  reopen(conversationId: string, options?: IdempotentOptions): Promise<void>
}

export function createConversations(call: EndpointCaller): Conversations {
  const readPage = ({ after, limit }: ConversationList, options: CallOptions): Promise<ConversationPage> =>
    call('listConversations', { ...options, query: { after, limit } })

  const post = (
    target: ConversationTarget,
    body: AgentMessage,
    options: IdempotentOptions & Pick<RequestPayload<'sendContactMessage'>, 'isIdempotent' | 'ignoreResponse'>,
  ) =>
    typeof target === 'string'
      ? call('sendConversationMessage', { ...options, path: { conversationId: target }, body })
      : call('sendContactMessage', { ...options, path: { contactId: target.contactId }, body })

  return {
    list: (page = {}, options = {}) =>
      new PagePromise(
        async () => readPage(checkList(page), options),
        () => {
          checkList(page)
          return listAll(page => readPage(page, options))
        },
      ),
    messages: {
      async list(target, page = {}, options = {}) {
        const { before, limit } = checkArguments('conversations.messages.list', page, ['before', 'limit'])
        const query = { before, limit }
        const { data } =
          typeof target === 'string'
            ? await call('listConversationMessages', { ...options, path: { conversationId: target }, query })
            : await call('listContactMessages', { ...options, path: { contactId: target.contactId }, query })
        return data
      },
      async send(target, { text, format, id = crypto.randomUUID(), as, sources, attachments, handBack }, options) {
        const message = { id, text, format, as, sources, attachments, handBack }
        // The id of the message makes a repetition harmless.
        const { data } = await post(target, message, { ...options, isIdempotent: true })
        return data
      },
      async delete(target, messageId, options = {}) {
        if (typeof target === 'string')
          await call('deleteConversationMessage', { ...options, path: { conversationId: target, messageId } })
        else await call('deleteContactMessage', { ...options, path: { contactId: target.contactId, messageId } })
      },
    },
    attachments: {
      async upload(conversationId, { content, id = crypto.randomUUID() }, options = {}) {
        // The platform refuses a larger one while it is being sent, and that may look like a broken connection.
        if (('byteLength' in content ? content.byteLength : content.size) > maxAttachmentBytes)
          throw new TypeError(`content must have at most ${maxAttachmentBytes} bytes`)
        const path = { conversationId, attachmentId: id }
        return (await call('uploadConversationAttachment', { ...options, path, file: content })).data
      },
      download: (conversationId, attachmentId, options = {}) =>
        call('downloadConversationAttachment', {
          ...options,
          path: { conversationId, attachmentId },
        }) as unknown as Promise<Blob>,
      async delete(conversationId, attachmentId, options = {}) {
        await call('deleteConversationAttachment', { ...options, path: { conversationId, attachmentId } })
      },
    },
    async showTyping(target, { as } = {}, options = {}) {
      const body: AgentTyping = { as }
      if (typeof target === 'string')
        await call('showConversationTyping', { ...options, path: { conversationId: target }, body })
      else await call('showContactTyping', { ...options, path: { contactId: target.contactId }, body })
    },
    async handBack(target, options) {
      await post(target, { handBack: true }, { ...options, ignoreResponse: true })
    },
    async close(conversationId, options = {}) {
      await call('closeConversation', { ...options, path: { conversationId } })
    },
    async reopen(conversationId, options = {}) {
      await call('reopenConversation', { ...options, path: { conversationId } })
    },
  }
}

const checkList = (page: ConversationList): ConversationList =>
  checkArguments('conversations.list', page, ['after', 'limit'])
