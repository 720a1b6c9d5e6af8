import * as v from 'valibot'
import { botProfileSchema } from './bots.ts'
import {
  contactCreateSchema,
  contactSchema,
  contactUpdateSchema,
  contactUpsertSchema,
  maxUpsertEntries,
  upsertResultSchema,
} from './contacts.ts'
import { contactTokenCreateSchema, contactTokenSchema } from './contactTokens.ts'
import { agentMessageSchema, conversationListSchema, conversationPageSchema } from './conversations.ts'
import type { Endpoint } from './endpoint.ts'
import { text } from './formats.ts'
import {
  eventStreamRequestSchema,
  messageCreateSchema,
  messageListRequestSchema,
  messageListSchema,
  messageSchema,
  readSchema,
  sessionRequestSchema,
  sessionSchema,
  visitorSessionSchema,
} from './messages.ts'
import { contactSearchSchema, paginationSchema } from './pagination.ts'

const data = <const Schema extends v.GenericSchema>(schema: Schema) => v.object({ data: schema })
/** An answer that proves by the request's nonce that it was made for that request. */
const dataWithNonce = <const Schema extends v.GenericSchema>(schema: Schema) =>
  v.object({ data: schema, nonce: text('The nonce of the request.') })
const contacts = '/v1/bots/{botId}/contacts'
const conversations = '/v1/bots/{botId}/conversations'
const widget = '/v1/bots/{botId}/widget'

const agentMessage = {
  body: { schema: agentMessageSchema, forms: false },
  success: {
    status: 201,
    schema: data(messageSchema),
    also: { 200: 'The same message was stored before; this is it.', 204: 'Handed back; nothing was said.' },
  },
  errors: ['id_reused'],
} as const

/** Every endpoint of the platform by name (Spec 4; the widget's are ours). */
export const endpoints = {
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
    body: { schema: contactUpsertSchema, forms: false, maxBytes: 4 * 1024 * 1024, maxEntries: maxUpsertEntries },
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
      schema: v.object({ data: v.array(contactSchema), pagination: paginationSchema }),
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
    summary: 'Update a contact',
    body: { schema: contactUpdateSchema, forms: true },
    success: { status: 200 },
    errors: ['email_taken'],
  },
  deleteContact: {
    method: 'DELETE',
    path: `${contacts}/{contactId}`,
    auth: 'organization',
    summary: 'Delete a contact',
    success: { status: 204 },
    errors: [],
  },
  revokeContactTokens: {
    method: 'DELETE',
    path: `${contacts}/{contactId}/tokens`,
    auth: 'organization',
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
    success: { status: 200, schema: data(v.array(messageSchema)) },
    errors: [],
  },
  sendConversationMessage: {
    method: 'POST',
    path: `${conversations}/{conversationId}/messages`,
    auth: 'organization',
    summary: 'Write to a conversation as an agent',
    ...agentMessage,
  },
  listContactMessages: {
    method: 'GET',
    path: `${contacts}/{contactId}/messages`,
    auth: 'organization',
    summary: "Read a contact's messages",
    query: messageListSchema,
    success: { status: 200, schema: data(v.array(messageSchema)) },
    errors: [],
  },
  sendContactMessage: {
    method: 'POST',
    path: `${contacts}/{contactId}/messages`,
    auth: 'organization',
    summary: 'Write to a contact as an agent',
    ...agentMessage,
  },
  retrieveBotProfile: {
    method: 'GET',
    path: widget,
    auth: 'none',
    summary: "Retrieve a bot's profile",
    success: { status: 200, schema: data(botProfileSchema), also: { 304: 'Not changed since the `ETag` sent.' } },
    errors: [],
  },
  createVisitorSession: {
    method: 'POST',
    path: `${widget}/sessions`,
    auth: 'none',
    summary: 'Start an anonymous session',
    success: { status: 201, schema: data(visitorSessionSchema) },
    errors: [],
  },
  retrieveSession: {
    method: 'GET',
    path: `${widget}/session`,
    auth: 'widget',
    summary: 'Retrieve the session',
    success: { status: 200, schema: data(sessionSchema) },
    errors: [],
  },
  retrieveSessionWithNonce: {
    method: 'POST',
    path: `${widget}/session/retrieve`,
    auth: 'widget',
    summary: 'Retrieve the session, by POST',
    body: { schema: sessionRequestSchema, forms: false },
    success: { status: 200, schema: dataWithNonce(sessionSchema) },
    errors: [],
  },
  endSession: {
    method: 'DELETE',
    path: `${widget}/session`,
    auth: 'widget',
    summary: 'End the session',
    success: { status: 204 },
    errors: [],
  },
  listMessages: {
    method: 'GET',
    path: `${widget}/messages`,
    auth: 'widget',
    summary: 'Read messages',
    query: messageListSchema,
    success: { status: 200, schema: data(v.array(messageSchema)) },
    errors: [],
  },
  listMessagesWithNonce: {
    method: 'POST',
    path: `${widget}/messages/list`,
    auth: 'widget',
    summary: 'Read messages, by POST',
    body: { schema: messageListRequestSchema, forms: false },
    success: { status: 200, schema: dataWithNonce(v.array(messageSchema)) },
    errors: [],
  },
  sendMessage: {
    method: 'POST',
    path: `${widget}/messages`,
    auth: 'widget',
    summary: 'Send a message',
    body: { schema: messageCreateSchema, forms: true },
    success: {
      status: 201,
      schema: data(messageSchema),
      also: { 200: 'The same message was stored before; this is it.' },
    },
    errors: ['id_reused'],
  },
  markRead: {
    method: 'POST',
    path: `${widget}/read`,
    auth: 'widget',
    summary: 'Mark messages as read',
    body: { schema: readSchema, forms: false },
    success: { status: 204 },
    errors: [],
  },
  streamEvents: {
    method: 'GET',
    path: `${widget}/events`,
    auth: 'widget',
    summary: 'Stream events',
    success: { status: 200, stream: true },
    errors: [],
  },
  streamEventsWithNonce: {
    method: 'POST',
    path: `${widget}/events/stream`,
    auth: 'widget',
    summary: 'Stream events, by POST',
    body: { schema: eventStreamRequestSchema, forms: false },
    success: { status: 200, stream: true },
    errors: [],
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints
type Row<Name extends EndpointName> = (typeof endpoints)[Name]

/** The parsed body of a request, or `undefined` where the endpoint takes none. */
export type BodyOf<Name extends EndpointName> =
  Row<Name> extends { body: { schema: infer Schema extends v.GenericSchema } } ? v.InferOutput<Schema> : undefined
/** What a client sends as the body. */
export type BodyInputOf<Name extends EndpointName> =
  Row<Name> extends { body: { schema: infer Schema extends v.GenericSchema } } ? v.InferInput<Schema> : undefined
/** The parsed query of a request, or `undefined` where the endpoint takes none. */
export type QueryOf<Name extends EndpointName> =
  Row<Name> extends { query: infer Schema extends v.GenericSchema } ? v.InferOutput<Schema> : undefined
/** The JSON body of the success response, or `undefined` where there is none. */
export type ResponseOf<Name extends EndpointName> =
  Row<Name> extends { success: { schema: infer Schema extends v.GenericSchema } } ? v.InferOutput<Schema> : undefined

/** The path of an endpoint with its parameters filled in and percent-encoded. */
export function pathOf(name: EndpointName, parameters: Record<string, string>): string {
  return endpoints[name].path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = parameters[key]
    // URL parsers drop these, encoded or not: the request would go to another endpoint.
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new TypeError(`Path parameter ${key} of ${name} is missing`)
    }
    return encodeURIComponent(value)
  })
}
