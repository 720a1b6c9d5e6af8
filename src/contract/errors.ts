import * as v from 'valibot'
import { integer, text } from './formats.ts'

export interface CatalogueEntry {
  status: number
  title: string
  detail: string
  /** When the error occurs, for the OpenAPI document; default: title and detail. */
  when?: string
  /** What an example has in place of `detail`, or beside it. */
  example?: { detail?: string; errors?: FieldError[]; conflict?: Conflict }
}

/**
 * All errors of the platform. Each has a stable code for programs, an HTTP status, a title, and a detail that says what to
 * do unless the response has a more specific one. The specification leaves the shape of errors open; ours is RFC
 * 9457.
 */
export const errorCatalogue = {
  invalid_request: {
    status: 400,
    title: 'The request has missing or invalid fields',
    detail: 'See the endpoint in /docs/api for what it takes.',
    when: 'A field or parameter is missing or invalid; `errors` names each.',
    example: {
      detail: 'See errors for the fields in question.',
      errors: [{ pointer: '/email', code: 'missing', detail: 'This field is required.' }],
    },
  },
  malformed_body: {
    status: 400,
    title: 'The body cannot be read',
    detail: 'Send a body that matches its content type.',
    example: { detail: 'The body is not JSON.' },
  },
  email_taken: {
    status: 400,
    title: 'The email already belongs to a contact',
    detail: 'Update the contact that has it, or use another email.',
    when: 'The email already belongs to a contact. `conflict` names the contact if it belongs to this bot.',
    example: { conflict: { field: 'email', contactId: '0197a1b2-c3d4-7e5f-8a6b-9c0d1e2f3a4b' } },
  },
  contact_mismatch: {
    status: 400,
    title: 'id and email name different contacts',
    detail: 'Send id or email alone.',
  },
  too_many_entries: {
    status: 400,
    title: 'The request has too many entries',
    detail: 'Split the list into several requests.',
    when: 'More than 1000 entries.',
    example: { detail: 'Send at most 1000 entries.' },
  },
  unauthorized: {
    status: 401,
    title: 'The request is not authenticated',
    detail: 'Send Authorization: Bearer and a token of this platform.',
    when: 'No token, or an unknown one.',
  },
  token_expired: {
    status: 401,
    title: 'The token has expired',
    detail: 'Log in with a new one.',
  },
  token_revoked: {
    status: 401,
    title: 'The token has been revoked',
    detail: 'Log in with a new one.',
    when: 'The token was revoked, or its visitor has logged out.',
  },
  contact_deleted: {
    status: 401,
    title: 'The contact of the token has been deleted',
    detail: 'Create the contact again.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The token is not meant for this endpoint',
    detail: "Contact tokens are for the widget's endpoints, organization tokens for the others.",
    when: 'A contact’s or visitor’s token on an endpoint for organizations, or an organization token on an endpoint of the widget.',
  },
  organization_token_in_browser: {
    status: 403,
    title: 'Organization endpoints are not for browsers',
    detail: 'Call them from your server, and give the page a contact token.',
    when: 'The request came from a browser (`Origin` or `Sec-Fetch-Site`), whatever its token.',
  },
  origin_not_allowed: {
    status: 403,
    title: 'The origin may not embed this bot',
    detail: "Add it to the bot's origins.",
  },
  wrong_origin: {
    status: 403,
    title: 'The desk takes requests of its own pages only',
    detail: "Open the desk at the platform's public address, which `natter serve` takes as --base-url.",
  },
  login_required: {
    status: 403,
    title: 'The bot talks to contacts only',
    detail: 'Identify the visitor with a contact token.',
  },
  visitor_blocked: {
    status: 403,
    title: 'The visitor is blocked',
    detail: 'The team has ended this conversation.',
    when: 'A member of the team has blocked this anonymous visitor.',
  },
  attachments_off: {
    status: 403,
    title: 'The bot takes no files',
    detail: 'Turn them on with natter bot update BOT --attachments yes.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: "Check the ids in the path, and that the token is of the bot's organization.",
    when: 'There is no such bot, contact, conversation, message or file, or it belongs to another organization. The response is the same.',
    example: { detail: 'There is no such bot, contact, conversation, message or file.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    detail: 'The Allow header lists the supported methods.',
    example: { detail: 'Allowed here: GET, HEAD.' },
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    detail:
      'Send the headers within 10 seconds, and the body within 5 seconds more, 30 for an upsert, or 300 for a file.',
    when: 'The headers took longer than 10 seconds, or the body longer than 5, 30 for an upsert and 300 for a file, which includes a wait for room in memory. Nothing was changed.',
    example: { detail: 'Send the whole body within 5 seconds of the headers.' },
  },
  id_reused: {
    status: 409,
    title: 'The id is taken by another message or file',
    detail: 'Use a new id for another text or file.',
    when: 'The id belongs to a message with another text or author, or to another file.',
  },
  attempt_superseded: {
    status: 409,
    title: 'A later attempt of this request has been answered',
    detail: 'Use the answer to the later attempt.',
    when: 'An attempt with a higher `Idempotency-Attempt` has been decided; nothing was changed.',
  },
  claimed_by_other: {
    status: 409,
    title: 'Another member owns the conversation',
    detail: 'Look at it again, and take it over if you want to go on.',
    when: 'At the desk: somebody else has claimed the conversation.',
  },
  answered_meanwhile: {
    status: 409,
    title: 'Somebody of the team has answered since',
    detail: 'Read the answer, and send the reply again with its `seq` as `knownSeq`.',
    when: 'At the desk: a member, or your server, has answered since the reply was begun.',
  },
  last_admin: {
    status: 409,
    title: 'The team needs an admin',
    detail: 'Make somebody else an admin first.',
    when: 'At the desk: the last admin would be removed, or become an agent.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    detail: 'Send a smaller body.',
    when: 'Over 32 KiB, 4 MiB for an upsert, 10 MiB for a file.',
    example: { detail: 'Send at most 32768 bytes.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    detail: 'Send JSON.',
    example: { detail: 'Send application/json.' },
  },
  file_refused: {
    status: 415,
    title: 'The file is not accepted',
    detail: 'Send a PNG, JPEG, WebP, GIF, PDF or plain text file.',
    when: 'The content is no PNG, JPEG, WebP, GIF, PDF or plain text, is damaged, or has more than 40 megapixels.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key belongs to another request',
    detail: 'Use a new key for each request.',
    when: 'The `Idempotency-Key` belongs to a request with another body.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'Wait for the time in Retry-After.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    detail: 'Send at most 16 KiB of headers.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on the server',
    detail: 'The log of the platform contains the cause, under the id in instance.',
  },
  unavailable: {
    status: 503,
    title: 'The service is not available right now',
    detail: 'Try again soon.',
    when: 'The store does not answer in time, too many calls wait for it, or the server is stopping. Try again after `Retry-After`.',
  },
} satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof errorCatalogue

/** An error of one field. `index` is the position of its entry in an upsert. */
export const fieldErrorSchema = v.object({
  pointer: v.pipe(
    text('The invalid field: a JSON Pointer into the body, or `/` and the name of a query parameter.'),
    v.metadata({ pattern: '^(/[\\s\\S]*)?$' }),
  ),
  code: text('What is wrong, as a stable word.'),
  detail: text('What to do about it.'),
  index: v.optional(integer('The entry of an upsert.')),
})
export type FieldError = v.InferOutput<typeof fieldErrorSchema>

/** The contact of the same bot that causes the conflict. */
export const conflictSchema = v.object({
  field: text('The field that is taken.'),
  contactId: text('The contact of this bot that has it.'),
})
export type Conflict = v.InferOutput<typeof conflictSchema>

/** The body of every error response, `application/problem+json` (RFC 9457). */
export const problemSchema = v.object({
  type: v.pipe(text('`urn:natter:problem:` and the code.'), v.metadata({ pattern: '^urn:natter:problem:[a-z_]+$' })),
  title: text('The code in words.'),
  status: integer('The HTTP status.', 400),
  code: v.pipe(v.picklist(Object.keys(errorCatalogue) as ErrorCode[]), v.description('A stable word to switch on.')),
  detail: text('What happened this time, for people.'),
  instance: v.pipe(
    text('`urn:natter:request:` and the request id, for the log.'),
    v.metadata({ pattern: '^urn:natter:request:[0-9a-f-]{36}$' }),
  ),
  errors: v.optional(v.array(fieldErrorSchema)),
  conflict: v.optional(conflictSchema),
})
export type Problem = v.InferOutput<typeof problemSchema>
