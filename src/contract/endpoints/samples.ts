import type { Upload } from '../attachments.ts'
import type { Contact } from '../contacts.ts'
import type { Conversation } from '../conversations.ts'
import type { Message, MessageWithContext } from '../messages.ts'

// The examples tell one story: Ada asks the shop's bot about her order.

export const botId = '0197a1b2-04c1-7d3e-9a5b-6f7081920a1b'
export const contactId = '0197a1b2-c3d4-7e5f-8a6b-9c0d1e2f3a4b'
export const conversationId = '0197a1c0-1f2e-7d3c-8b4a-59687a8b9cad'
export const attachmentId = 'c2a7e1f4-9d3b-4f60-8a52-1b6e0d94c7f3'
export const requestId = '3f8e2c1a-6b5d-4e7f-9a0b-1c2d3e4f5a6b'
export const contactToken: string = `c:${'4f1c9a7be2d03856'.repeat(4)}`
export const visitorToken: string = `v:${'9b1e07d4c6a85f32'.repeat(4)}`
export const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

export const contact: Contact = {
  id: contactId,
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '+47 12 34 56 78',
  mid: '',
  wid: '+4712345678',
  createdAt: '2030-01-15T12:00:00.000Z',
  updatedAt: '2030-01-15T12:00:00.000Z',
}

export const upload: Upload = { id: attachmentId, type: 'image/jpeg', size: 284_113, width: 1200, height: 900 }

export const question: Message = {
  id: 'b7d0c5e8-2f4a-4c1b-8e6d-5a9f3b7c1d20',
  seq: 1,
  author: 'visitor',
  text: 'Where is my order?',
  format: 'plain',
  createdAt: '2030-01-15T12:05:00.000Z',
}

/** The same as the organization sees it. */
export const questionWithContext: MessageWithContext = {
  ...question,
  context: { claimed: { cart: 3, 'page.path': '/orders' }, verified: { plan: 'pro' } },
}

/** What is left of it after the organization has removed it. */
export const removedQuestion: Message = { ...question, text: '', removedAt: '2030-01-15T12:20:00.000Z' }

export const answer: Message = {
  id: '0197a1c0-5a6b-7c8d-9e0f-1a2b3c4d5e6f',
  seq: 2,
  author: 'bot',
  text: 'Hello Ada! Orders arrive within three days. Shall I ask a colleague?',
  format: 'plain',
  quickReplies: ['Yes, please', 'No, thanks'],
  sources: [{ title: 'Delivery', url: 'https://shop.example/delivery' }],
  createdAt: '2030-01-15T12:05:01.250Z',
}

export const agentAnswer: Message = {
  id: '6e2f9a41-83bc-4d57-a1e0-7c5b9d3f2a68',
  seq: 3,
  author: 'agent',
  text: 'It is on its way and will be with you tomorrow.',
  format: 'plain',
  sender: { name: 'Nora' },
  createdAt: '2030-01-15T12:09:30.000Z',
}

export const conversation: Conversation = {
  id: conversationId,
  contact: { id: contactId, name: contact.name },
  lastSeq: 3,
  readSeq: 2,
  unread: 1,
  lastMessage: agentAnswer,
  state: 'open',
  assignee: 'Nora',
  pausedUntil: '2030-01-15T12:39:30.000Z',
  waitingSince: null,
  createdAt: '2030-01-15T12:05:00.000Z',
}
