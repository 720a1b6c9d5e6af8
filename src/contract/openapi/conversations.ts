import type { Documented } from './documentation.ts'
import { deleting, downloading, uploading } from './files.ts'
import { agentAnswer, answer, conversation, questionWithContext, upload } from './samples.ts'

const writing = [
  'Send `id` with `text`, `attachments` or both to send a message, `handBack` to let the responder answer again, or all of them.',
  'The message reaches the open widget like any other. It cancels a reply that the responder is writing and silences the responder for 30 minutes (`NATTER_AGENT_PAUSE`) after the agent’s last message, or until `handBack`, which the visitor sees as a line.',
  '`as` names the person whom the visitor sees above the message and in the chat’s header.',
  '`attachments` are files that were uploaded to the conversation before.',
  '`sources` are shown as numbered links below the message.',
  '`id` makes a repetition harmless: the same id, text and files again get 200 and the stored message; other ones get 409. A repetition with `handBack` does not end the pause that a later message of another agent has begun. `handBack` without a message needs an `Idempotency-Key` for that.',
].join('\n\n')
const requests = {
  message: { id: agentAnswer.id, text: agentAnswer.text, as: { name: 'Nora' } },
  file: { id: agentAnswer.id, attachments: [{ id: upload.id, name: 'delivery.jpg' }] },
  handBack: { handBack: true },
}
const written = { success: 'The message was stored.', requests, response: { data: agentAnswer } }
const typing = {
  description:
    'The open widget shows "Nora is typing" for 6 seconds, or until a message comes: call it again every few seconds while the person types. Nothing is stored.',
  success: 'Shown, if a widget is open.',
  requests: { named: { as: { name: 'Nora' } }, unnamed: {} },
}
const messageDeletion = {
  description: [
    'Erases a message of any author: text, `sender`, `context` and quick replies. Its place in the conversation is left, with `removedAt` and an empty `text`; open widgets show "This message was removed." Search, exports and events that wait to be delivered do not have the text any more. A reply that is being written is written again without the message.',
    'It cannot be called back from backups, from webhooks that were delivered, and from a responder that has read it.',
    'A repetition is harmless. A message that is still being written is not found.',
  ].join('\n\n'),
  success: 'The message was deleted.',
}
const history = {
  success: 'A page of messages, ascending.',
  query: { limit: 30 },
  response: { data: [questionWithContext, answer, agentAnswer] },
}

/** The organization's side of conversations. */
export const conversationDocumentation: Documented<
  | 'listConversations'
  | 'listConversationMessages'
  | 'sendConversationMessage'
  | 'listContactMessages'
  | 'sendContactMessage'
  | 'deleteConversationMessage'
  | 'deleteContactMessage'
  | 'uploadConversationAttachment'
  | 'downloadConversationAttachment'
  | 'deleteConversationAttachment'
  | 'showConversationTyping'
  | 'showContactTyping'
> = {
  listConversations: {
    description:
      'Conversations are sorted by their latest message, newest first. Conversations without messages are not listed. `next` of a page is `after` of the next page. A conversation that gets a message in the meantime moves to the front.',
    success: 'A page of conversations.',
    response: { data: [conversation], next: '2030-01-15T12:09:30.000Z_0197a1c0-1f2e-7d3c-8b4a-59687a8b9cad' },
  },
  listConversationMessages: {
    description: [
      'Returns the newest page first. Messages in a page are in ascending order. Go back with `before`, the smallest `seq` so far.',
      'A visitor’s message has `context` if anything was known about the visitor when it was sent. `claimed` comes from the page: anyone can forge it, so authorize nothing by it. `verified` contains the contact’s attributes.',
    ].join('\n\n'),
    ...history,
  },
  sendConversationMessage: { description: writing, ...written },
  listContactMessages: {
    description:
      'The same as the path of the conversation: a contact has one conversation with a bot. Empty before it begins.',
    ...history,
  },
  sendContactMessage: {
    description: `Begins the conversation if there is none.\n\n${writing}`,
    ...written,
  },
  deleteConversationMessage: messageDeletion,
  deleteContactMessage: messageDeletion,
  uploadConversationAttachment: {
    description: uploading('Then send its id with a message to this conversation: `attachments: [{ id, name }]`.'),
    success: 'The file was stored.',
    response: { data: upload },
  },
  downloadConversationAttachment: {
    description: `Files of visitors and agents. ${downloading}`,
    success: 'The file, to be saved.',
    response: '',
  },
  deleteConversationAttachment: { description: deleting, success: 'The file was deleted.' },
  showConversationTyping: typing,
  showContactTyping: typing,
}
