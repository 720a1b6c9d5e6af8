export type {
  Conflict,
  Contact,
  ContactCreate,
  ContactSearch,
  ContactToken,
  ContactTokenCreate,
  ContactUpdate,
  ContactUpsertEntry,
  Conversation,
  ConversationList,
  ConversationPage,
  ErrorCode,
  FieldError,
  Message,
  MessageList,
  Pagination,
  TurnRequest,
  UpsertResult,
  WebhookEvent,
} from '../contract/index.ts'
export type { CallOptions, IdempotentOptions } from './callOptions.ts'
export { type ClientOptions, createClient, type NatterClient } from './client.ts'
export type { Contacts } from './contacts.ts'
export type { ContactTokens } from './contactTokens.ts'
export type {
  AgentMessageSend,
  ConversationMessages,
  Conversations,
  ConversationTarget,
} from './conversations.ts'
export {
  ApiError,
  isApiError,
  isNetworkError,
  isSdkError,
  isTimeoutError,
  isWebhookSignatureError,
  NetworkError,
  SdkError,
  TimeoutError,
  WebhookSignatureError,
} from './errors.ts'
export { type Identity, type TokenHandlerOptions, tokenHandler } from './tokenHandler.ts'
export type { UpsertOptions } from './upsert.ts'
export { type VerifyWebhookOptions, verifyWebhook } from './webhooks.ts'
