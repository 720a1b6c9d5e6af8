import * as v from 'valibot'
import {
  agentMessageSchema,
  agentTypingSchema,
  conversationListSchema,
  conversationPageSchema,
} from '../conversations.ts'
import { content, data, type Endpoint, json, organization } from '../endpoint.ts'
import { messageListSchema, messageSchema, messageWithContextSchema } from '../messages.ts'
import { deletionOfUpload, downloading, downloadOfFile, uploading, uploadOfFile } from './files.ts'
import { agentAnswer, answer, conversation, questionWithContext, upload } from './samples.ts'

const history = {
  query: messageListSchema,
  queryExample: { limit: 30 },
  success: {
    status: 200,
    description: 'A page of messages, ascending.',
    ...data(v.array(messageWithContextSchema), [questionWithContext, answer, agentAnswer]),
  },
} satisfies Partial<Endpoint>

const writing = [
  'Send `id` with `text`, `attachments` or both to send a message, `handBack` to let the responder answer again, or all of them.',
  'The message reaches the open widget like any other. It cancels a reply that the responder is writing and silences the responder for 30 minutes (`NATTER_AGENT_PAUSE`) after the agent’s last message, or until `handBack`, which the visitor sees as a line.',
  '`as` names the person whom the visitor sees above the message and in the chat’s header.',
  '`attachments` are files that were uploaded to the conversation before.',
  '`sources` are shown as numbered links below the message.',
  '`id` makes a repetition harmless: the same id, text and files again get 200 and the stored message; other ones get 409. A repetition with `handBack` does not end the pause that a later message of another agent has begun. `handBack` without a message needs an `Idempotency-Key` for that.',
].join('\n\n')

const agentMessage = {
  idempotent: true,
  body: json(agentMessageSchema, {
    message: { id: agentAnswer.id, text: agentAnswer.text, as: { name: 'Nora' } },
    file: { id: agentAnswer.id, attachments: [{ id: upload.id, name: 'delivery.jpg' }] },
    handBack: { handBack: true },
  }),
  success: {
    status: 201,
    description: 'The message was stored.',
    ...data(messageSchema, agentAnswer),
    also: {
      200: 'The same message was stored before. The response contains it.',
      204: 'Handed back. The request had no message.',
    },
  },
  errors: ['id_reused'],
} satisfies Partial<Endpoint>

const deletionOfMessage = {
  description: [
    'Erases a message of any author: text, `sender`, `context` and quick replies. Its place in the conversation is left, with `removedAt` and an empty `text`; open widgets show "This message was removed." Search, exports and events that wait to be delivered do not have the text any more. A reply that is being written is written again without the message.',
    'It cannot be called back from backups, from webhooks that were delivered, and from a responder that has read it.',
    'A repetition is harmless. A message that is still being written is not found.',
  ].join('\n\n'),
  success: { status: 204, description: 'The message was deleted.' },
} satisfies Partial<Endpoint>

const agentTyping = {
  description:
    'The open widget shows "Nora is typing" for 6 seconds, or until a message comes: call it again every few seconds while the person types. Nothing is stored.',
  body: json(agentTypingSchema, { named: { as: { name: 'Nora' } }, unnamed: {} }),
  success: { status: 204, description: 'Shown, if a widget is open.' },
} satisfies Partial<Endpoint>

const stateChange = {
  idempotent: true,
  success: { status: 204, description: 'The state is so now.' },
} satisfies Partial<Endpoint>

/** The organization's side of conversations (ours). */
export const conversationEndpoints = {
  listConversations: {
    ...organization('GET', '/conversations'),
    summary: 'List conversations',
    description:
      'Conversations are sorted by their latest message, newest first. Conversations without messages are not listed. `next` of a page is `after` of the next page. A conversation that gets a message in the meantime moves to the front.',
    query: conversationListSchema,
    success: {
      status: 200,
      description: 'A page of conversations.',
      ...content(conversationPageSchema, {
        data: [conversation],
        next: '2030-01-15T12:09:30.000Z_0197a1c0-1f2e-7d3c-8b4a-59687a8b9cad',
      }),
    },
  },
  listConversationMessages: {
    ...organization('GET', '/conversations/{conversationId}/messages'),
    summary: "Read a conversation's messages",
    description: [
      'Returns the newest page first. Messages in a page are in ascending order. Go back with `before`, the smallest `seq` so far.',
      'A visitor’s message has `context` if anything was known about the visitor when it was sent. `claimed` comes from the page: anyone can forge it, so authorize nothing by it. `verified` contains the contact’s attributes.',
    ].join('\n\n'),
    ...history,
  },
  sendConversationMessage: {
    ...organization('POST', '/conversations/{conversationId}/messages'),
    summary: 'Write to a conversation as an agent',
    description: writing,
    ...agentMessage,
  },
  listContactMessages: {
    ...organization('GET', '/contacts/{contactId}/messages'),
    summary: "Read a contact's messages",
    description:
      'The same as the path of the conversation: a contact has one conversation with a bot. Empty before it begins.',
    ...history,
  },
  sendContactMessage: {
    ...organization('POST', '/contacts/{contactId}/messages'),
    summary: 'Write to a contact as an agent',
    description: `Begins the conversation if there is none.\n\n${writing}`,
    ...agentMessage,
  },
  deleteConversationMessage: {
    ...organization('DELETE', '/conversations/{conversationId}/messages/{messageId}'),
    summary: 'Delete a message of a conversation',
    ...deletionOfMessage,
  },
  deleteContactMessage: {
    ...organization('DELETE', '/contacts/{contactId}/messages/{messageId}'),
    summary: "Delete a message of a contact's conversation",
    ...deletionOfMessage,
  },
  closeConversation: {
    ...organization('POST', '/conversations/{conversationId}/close'),
    summary: 'Close a conversation',
    description:
      'Nobody answers it any more: a reply that the responder is writing ends, nobody waits, and no member of the desk owns it. The visitor is not told. The next message of the visitor opens it again.',
    ...stateChange,
  },
  reopenConversation: {
    ...organization('POST', '/conversations/{conversationId}/reopen'),
    summary: 'Reopen a conversation',
    description:
      'A closed conversation goes back to the responder, or waits for a person if the bot has none. Any other conversation stays as it is.',
    ...stateChange,
  },
  uploadConversationAttachment: {
    ...organization('PUT', '/conversations/{conversationId}/attachments/{attachmentId}'),
    summary: 'Upload a file as an agent',
    description: uploading('Then send its id with a message to this conversation: `attachments: [{ id, name }]`.'),
    ...uploadOfFile,
  },
  downloadConversationAttachment: {
    ...organization('GET', '/conversations/{conversationId}/attachments/{attachmentId}'),
    summary: 'Download a file of a conversation',
    description: `Files of visitors and agents. ${downloading}`,
    ...downloadOfFile,
  },
  deleteConversationAttachment: {
    ...organization('DELETE', '/conversations/{conversationId}/attachments/{attachmentId}'),
    summary: 'Delete an upload of the team',
    ...deletionOfUpload,
  },
  showConversationTyping: {
    ...organization('POST', '/conversations/{conversationId}/typing'),
    summary: 'Show that an agent is typing in a conversation',
    ...agentTyping,
  },
  showContactTyping: {
    ...organization('POST', '/contacts/{contactId}/typing'),
    summary: 'Show a contact that an agent is typing',
    ...agentTyping,
  },
} satisfies Record<string, Endpoint>
