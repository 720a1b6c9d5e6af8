import * as v from 'valibot'
import { attributesUpdateSchema, contactAttributesSchema } from '../attributes.ts'
import {
  contactCreateSchema,
  contactSchema,
  contactUpdateSchema,
  contactUpsertEntrySchema,
  contactUpsertSchema,
  maxUpsertEntries,
  upsertResultSchema,
} from '../contacts.ts'
import { contactTokenCreateSchema, contactTokenSchema } from '../contactTokens.ts'
import {
  agentMessageSchema,
  agentTypingSchema,
  conversationListSchema,
  conversationPageSchema,
} from '../conversations.ts'
import { type Endpoint, upsertTimeLimitMs } from '../endpoint.ts'
import { messageListSchema, messageSchema, messageWithContextSchema } from '../messages.ts'
import { contactListPageSchema, contactListSchema, contactSearchSchema, paginationSchema } from '../pagination.ts'
import { object } from '../validation.ts'
import { data } from './envelopes.ts'
import { deletionOfUpload, downloadOfFile, uploadOfFile } from './files.ts'

const contacts = '/v1/bots/{botId}/contacts'
const conversations = '/v1/bots/{botId}/conversations'

const agentMessage = {
  idempotent: true,
  body: { schema: agentMessageSchema, forms: false },
  success: {
    status: 201,
    schema: data(messageSchema),
    also: {
      200: 'The same message was stored before. The response contains it.',
      204: 'Handed back. The request had no message.',
    },
  },
  errors: ['id_reused'],
} as const

const deletionOfMessage = { success: { status: 204 }, errors: [] } as const

const agentTyping = {
  body: { schema: agentTypingSchema, forms: false },
  success: { status: 204 },
  errors: [],
} as const

/** The endpoints for an organization's server (specification: "Endpoints"; conversations are ours). */
export const organizationEndpoints = {
  createContactToken: {
    method: 'PUT',
    alias: 'POST',
    path: '/v1/bots/{botId}/auth/contacts',
    auth: 'organization',
    idempotent: true,
    summary: 'Create a contact token',
    body: { schema: contactTokenCreateSchema, forms: true },
    success: { status: 201, schema: data(contactTokenSchema) },
    errors: ['contact_mismatch'],
  },
  revokeContactToken: {
    method: 'DELETE',
    path: '/v1/bots/{botId}/auth/contacts/{contactToken}',
    auth: 'organization',
    summary: 'Revoke a contact token',
    success: { status: 204 },
    errors: [],
  },
  createContact: {
    method: 'PUT',
    path: contacts,
    auth: 'organization',
    idempotent: true,
    summary: 'Create a contact',
    body: { schema: contactCreateSchema, forms: true },
    success: { status: 201, schema: data(contactSchema) },
    errors: ['email_taken'],
  },
  upsertContacts: {
    method: 'PATCH',
    path: contacts,
    auth: 'organization',
    idempotent: true,
    summary: 'Upsert contacts',
    // A thousand entries take longer, and may wait for others.
    timeLimitMs: upsertTimeLimitMs,
    body: {
      schema: contactUpsertSchema,
      forms: false,
      maxBytes: 4 * 1024 * 1024,
      entries: { schema: contactUpsertEntrySchema, max: maxUpsertEntries },
    },
    success: { status: 200, schema: data(v.array(upsertResultSchema)) },
    errors: ['too_many_entries'],
  },
  searchContacts: {
    method: 'POST',
    path: contacts,
    auth: 'organization',
    summary: 'Search for contacts',
    query: contactSearchSchema,
    success: {
      status: 200,
      schema: object({ data: v.array(contactSchema), pagination: paginationSchema }),
    },
    errors: [],
  },
  retrieveContact: {
    method: 'GET',
    path: `${contacts}/{contactId}`,
    auth: 'organization',
    summary: 'Retrieve a contact',
    success: { status: 200, schema: data(contactSchema) },
    errors: [],
  },
  updateContact: {
    method: 'PATCH',
    path: `${contacts}/{contactId}`,
    auth: 'organization',
    idempotent: true,
    summary: 'Update a contact',
    body: { schema: contactUpdateSchema, forms: true },
    success: { status: 200 },
    errors: ['email_taken'],
  },
  deleteContact: {
    method: 'DELETE',
    path: `${contacts}/{contactId}`,
    auth: 'organization',
    idempotent: true,
    summary: 'Delete a contact',
    success: { status: 204 },
    errors: [],
  },
  retrieveContactAttributes: {
    method: 'GET',
    path: `${contacts}/{contactId}/attributes`,
    auth: 'organization',
    summary: "Retrieve a contact's attributes",
    success: { status: 200, schema: data(contactAttributesSchema) },
    errors: [],
  },
  setContactAttributes: {
    method: 'PUT',
    path: `${contacts}/{contactId}/attributes`,
    auth: 'organization',
    idempotent: true,
    summary: "Set a contact's attributes",
    body: { schema: attributesUpdateSchema, forms: false },
    success: { status: 204 },
    errors: [],
  },
  listContacts: {
    method: 'GET',
    path: contacts,
    auth: 'organization',
    summary: 'List contacts',
    query: contactListSchema,
    success: { status: 200, schema: contactListPageSchema },
    errors: [],
  },
  revokeContactTokens: {
    method: 'DELETE',
    path: `${contacts}/{contactId}/tokens`,
    auth: 'organization',
    idempotent: true,
    summary: 'Sign a contact out everywhere',
    success: { status: 204 },
    errors: [],
  },
  listConversations: {
    method: 'GET',
    path: conversations,
    auth: 'organization',
    summary: 'List conversations',
    query: conversationListSchema,
    success: { status: 200, schema: conversationPageSchema },
    errors: [],
  },
  listConversationMessages: {
    method: 'GET',
    path: `${conversations}/{conversationId}/messages`,
    auth: 'organization',
    summary: "Read a conversation's messages",
    query: messageListSchema,
    success: { status: 200, schema: data(v.array(messageWithContextSchema)) },
    errors: [],
  },
  sendConversationMessage: {
    method: 'POST',
    path: `${conversations}/{conversationId}/messages`,
    auth: 'organization',
    summary: 'Write to a conversation as an agent',
    ...agentMessage,
  },
  deleteConversationMessage: {
    method: 'DELETE',
    path: `${conversations}/{conversationId}/messages/{messageId}`,
    auth: 'organization',
    summary: 'Delete a message of a conversation',
    ...deletionOfMessage,
  },
  uploadConversationAttachment: {
    method: 'PUT',
    path: `${conversations}/{conversationId}/attachments/{attachmentId}`,
    auth: 'organization',
    summary: 'Upload a file as an agent',
    ...uploadOfFile,
  },
  downloadConversationAttachment: {
    method: 'GET',
    path: `${conversations}/{conversationId}/attachments/{attachmentId}`,
    auth: 'organization',
    summary: 'Download a file of a conversation',
    ...downloadOfFile,
  },
  deleteConversationAttachment: {
    method: 'DELETE',
    path: `${conversations}/{conversationId}/attachments/{attachmentId}`,
    auth: 'organization',
    summary: 'Delete an upload of the team',
    ...deletionOfUpload,
  },
  showConversationTyping: {
    method: 'POST',
    path: `${conversations}/{conversationId}/typing`,
    auth: 'organization',
    summary: 'Show that an agent is typing in a conversation',
    ...agentTyping,
  },
  listContactMessages: {
    method: 'GET',
    path: `${contacts}/{contactId}/messages`,
    auth: 'organization',
    summary: "Read a contact's messages",
    query: messageListSchema,
    success: { status: 200, schema: data(v.array(messageWithContextSchema)) },
    errors: [],
  },
  sendContactMessage: {
    method: 'POST',
    path: `${contacts}/{contactId}/messages`,
    auth: 'organization',
    summary: 'Write to a contact as an agent',
    ...agentMessage,
  },
  deleteContactMessage: {
    method: 'DELETE',
    path: `${contacts}/{contactId}/messages/{messageId}`,
    auth: 'organization',
    summary: "Delete a message of a contact's conversation",
    ...deletionOfMessage,
  },
  showContactTyping: {
    method: 'POST',
    path: `${contacts}/{contactId}/typing`,
    auth: 'organization',
    summary: 'Show a contact that an agent is typing',
    ...agentTyping,
  },
} as const satisfies Record<string, Endpoint>
