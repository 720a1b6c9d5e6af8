export type {
  Conflict,
  Contact,
  ContactCreate,
  ContactSearch,
  ContactToken,
  ContactTokenCreate,
  ContactUpdate,
  ContactUpsertEntry,
  ErrorCode,
  FieldError,
  Pagination,
  UpsertResult,
} from '../contract/index.ts'
export { type ClientOptions, createClient, type NatterClient } from './client.ts'
export type { Contacts } from './contacts.ts'
export type { ContactTokens } from './contactTokens.ts'
export {
  ApiError,
  isApiError,
  isNetworkError,
  isSdkError,
  isTimeoutError,
  NetworkError,
  SdkError,
  TimeoutError,
} from './errors.ts'
export { type Identity, type TokenHandlerOptions, tokenHandler } from './tokenHandler.ts'
