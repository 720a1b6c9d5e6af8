import * as v from 'valibot'
import { botProfileSchema } from '../bots.ts'
import type { Endpoint } from '../endpoint.ts'
import {
  eventStreamRequestSchema,
  messageCreateSchema,
  messageListRequestSchema,
  messageListSchema,
  messagePageSchema,
  messageSchema,
  readSchema,
  sessionRequestSchema,
  sessionSchema,
  visitorSessionSchema,
} from '../messages.ts'
import { data, dataWithNonce, nonceOfRequest } from './envelopes.ts'

const widget = '/v1/bots/{botId}/widget'

/** The endpoints for the widget (ours). */
export const widgetEndpoints = {
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
    errors: ['login_required'],
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
    success: { status: 200, schema: messagePageSchema },
    errors: [],
  },
  listMessagesWithNonce: {
    method: 'POST',
    path: `${widget}/messages/list`,
    auth: 'widget',
    summary: 'Read messages, by POST',
    body: { schema: messageListRequestSchema, forms: false },
    success: { status: 200, schema: v.object({ ...messagePageSchema.entries, nonce: nonceOfRequest }) },
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
      also: { 200: 'The same message was stored before. The response contains it.' },
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
