/**
 * What platform, SDK and widget agree on. Comments name sections of the contact API's specification as
 * `(specification: "Contacts")`, and call "ours" what Natter adds to it. `natter conformance` checks its rules.
 */
export * from './attachments.ts'
export * from './attributes.ts'
export * from './bots.ts'
export * from './contacts.ts'
export * from './contactTokens.ts'
export * from './conversations.ts'
export type { Endpoint, Method, Route } from './endpoint.ts'
export * from './endpoints.ts'
export * from './errors.ts'
export * from './limits.ts'
export { limitSchema } from './listQueries.ts'
export * from './messages.ts'
export * from './openapi/openapi.ts'
export * from './pagination.ts'
export { plainPhone } from './phone.ts'
export * from './signature.ts'
export * from './sources.ts'
export { codePoints, type FieldCode, fieldCodes, toFieldErrors, validate } from './validation.ts'
export * from './webhooks.ts'
