export type {
  Attachment,
  AttachmentInput,
  Attributes,
  Conflict,
  Contact,
  ContactCreate as ContactCreateParams,
  ContactSearch as ContactSearchParams,
  ContactToken,
  ContactTokenCreate as ContactTokenCreateParams,
  ContactUpdate as ContactUpdateParams,
  ContactUpsertEntry as ContactUpsertParams,
  Conversation,
  ConversationList as ConversationListParams,
  ConversationPage,
  ErrorCode,
  FieldError,
  Message,
  MessageContext,
  MessageList as MessageListParams,
  MessageWithContext,
  Pagination,
  Source,
  TurnRequest,
  Upload,
  UpsertResult,
  WebhookEvent,
} from '../contract/index.ts'
export type { CallOptions, IdempotentOptions } from './callOptions.ts'
export { type ClientOptions, createClient, type NatterClient } from './client.ts'
export type { ContactPage, Contacts } from './contacts.ts'
export type { ContactTokens } from './contactTokens.ts'
export type {
  AgentIdentity,
  AgentMessageSend as MessageSendParams,
  ConversationAttachments,
  ConversationMessages,
  Conversations,
  ConversationTarget,
  FileUpload as AttachmentUploadParams,
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
export type { PagePromise } from './pagePromise.ts'
export { type Identity, type TokenHandlerOptions, tokenHandler } from './tokenHandler.ts'
export type { UpsertOptions } from './upsert.ts'
export { type UnknownWebhookEvent, type VerifyWebhookOptions, verifyWebhook } from './webhooks.ts'
