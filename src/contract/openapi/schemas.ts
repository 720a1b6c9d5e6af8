import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import * as attributes from '../attributes.ts'
import * as bots from '../bots.ts'
import * as contacts from '../contacts.ts'
import * as contactTokens from '../contactTokens.ts'
import * as conversations from '../conversations.ts'
import * as errors from '../errors.ts'
import * as messages from '../messages.ts'
import * as pagination from '../pagination.ts'
import * as webhooks from '../webhooks.ts'
import type { JsonSchema } from './document.ts'

type Schemas = Record<string, v.GenericSchema>

/** Schemas of requests, and of responses of an organization's server, by their names in the document. */
const sent: Schemas = {
  ContactCreate: contacts.contactCreateSchema,
  ContactUpdate: contacts.contactUpdateSchema,
  ContactUpsertEntry: contacts.contactUpsertEntrySchema,
  ContactUpsert: contacts.contactUpsertSchema,
  ContactTokenCreate: contactTokens.contactTokenCreateSchema,
  Attributes: attributes.attributesSchema,
  AttributesUpdate: attributes.attributesUpdateSchema,
  AgentMessage: conversations.agentMessageSchema,
  MessageCreate: messages.messageCreateSchema,
  Read: messages.readSchema,
  Stop: messages.stopSchema,
  MessageRate: messages.messageRateSchema,
  VisitorEmail: messages.visitorEmailSchema,
  NonceRequest: messages.nonceRequestSchema,
  MessageListRequest: messages.messageListRequestSchema,
  EventStreamRequest: messages.eventStreamRequestSchema,
  TurnReply: webhooks.turnReplySchema,
  TurnPiece: webhooks.turnPieceSchema,
}

/** Schemas of the platform's responses, by their names in the document. */
const told: Schemas = {
  Contact: contacts.contactSchema,
  ContactToken: contactTokens.contactTokenSchema,
  UpsertResult: contacts.upsertResultSchema,
  Pagination: pagination.paginationSchema,
  ContactAttributes: attributes.contactAttributesSchema,
  Message: messages.messageSchema,
  MessageContext: attributes.messageContextSchema,
  MessageWithContext: messages.messageWithContextSchema,
  Conversation: conversations.conversationSchema,
  BotProfile: bots.botProfileSchema,
  Session: messages.sessionSchema,
  ConversationState: messages.conversationStateSchema,
  VisitorSession: messages.visitorSessionSchema,
  Problem: errors.problemSchema,
  FieldError: errors.fieldErrorSchema,
  Conflict: errors.conflictSchema,
  ...Object.fromEntries(
    webhooks.webhookEventSchema.options.map(schema => [pascalCase(schema.entries.type.literal), schema]),
  ),
  TurnRequest: webhooks.turnRequestSchema,
}

/** The names in the document of the data of stream events. A message is already a named schema. */
const streamed: Schemas = Object.fromEntries(
  Object.entries(messages.streamEventSchemas)
    .filter(([, schema]) => schema !== messages.messageSchema)
    .map(([event, schema]) => [streamEventName(event), schema]),
)

/** The component that describes the data of one stream event. */
export function streamEventName(event: string): string {
  return event === 'message' ? 'Message' : `Stream${pascalCase(event)}`
}

/** `message.created` is `MessageCreated`. */
function pascalCase(event: string): string {
  return event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

const overrideRef: NonNullable<ConversionConfig['overrideRef']> = ({ referenceId }) =>
  `#/components/schemas/${referenceId}`
// Checks in code are omitted; metadata describes them as far as JSON Schema can.
const common = { target: 'draft-2020-12', errorMode: 'ignore', overrideRef } as const
const input: ConversionConfig = { ...common, typeMode: 'input' }
const output: ConversionConfig = { ...common, typeMode: 'output' }

/** All named schemas of the document. */
export const componentSchemas = () =>
  ({
    ...toJsonSchemaDefs(sent, input),
    ...toJsonSchemaDefs({ ...told, ...streamed }, output),
  }) as Record<string, JsonSchema>

/** The schema of a request's body or query. */
export const requestSchema = (schema: v.GenericSchema): JsonSchema => convert(schema, { ...input, definitions: sent })

/** The schema of a response's body. */
export const responseSchema = (schema: v.GenericSchema): JsonSchema => convert(schema, { ...output, definitions: told })

function convert(schema: v.GenericSchema, config: ConversionConfig): JsonSchema {
  const { $schema: _, $defs: __, ...rest } = toJsonSchema(schema, config)
  return rest
}
