import * as v from 'valibot'
import { emailSchema } from './contacts.ts'
import { text, timestamp } from './formats.ts'
import { fieldMessage, string, wholeNumber } from './validation.ts'

/** Ours: `c:` and 64 lower-case hex digits (Spec 2.2 says `c:<hex_string>`). */
export const contactTokenPattern: RegExp = /^c:[0-9a-f]{64}$/
/** Ours: the token of an anonymous session. */
export const visitorTokenPattern: RegExp = /^v:[0-9a-f]{64}$/
/** Ours: `o_` and 43 base64url characters. */
export const organizationTokenPattern: RegExp = /^o_[A-Za-z0-9_-]{43}$/

/** A contact token, shown once (Spec 2.2). */
export const contactTokenSchema = v.object({
  token: v.pipe(text('For the widget; shown this once.'), v.metadata({ pattern: contactTokenPattern.source })),
  createdAt: timestamp('When the token was created.'),
  expiresAt: timestamp('When it ends: one year later, or earlier if that was asked for.'),
})
export type ContactToken = v.InferOutput<typeof contactTokenSchema>

/** Ours: the shortest and the longest life of a contact token that a request may ask for, in seconds. */
const minTokenSeconds = 300
const maxTokenSeconds = 31_536_000

/**
 * Body of create contact token (Spec 4.1): at least one of `id` and `email`; ours: both must name the same contact. Ours:
 * `expiresInSeconds` is a JSON number. A form, whose values are all texts, is refused rather than given a token that
 * lives for a year.
 */
export const contactTokenCreateSchema = v.pipe(
  v.object({
    id: v.optional(v.pipe(string(), v.description('Id of the contact.'))),
    email: v.optional(emailSchema),
    expiresInSeconds: v.optional(
      wholeNumber(
        'Seconds until the token expires; default: one calendar year. Only in JSON: a form with it is refused.',
        minTokenSeconds,
        maxTokenSeconds,
      ),
    ),
  }),
  v.check(
    body => body.id !== undefined || body.email !== undefined,
    fieldMessage('missing', 'Send the id or the email of the contact.'),
  ),
  v.metadata({ anyOf: [{ required: ['id'] }, { required: ['email'] }] }),
)
/** At least one of the two, which the schema's type cannot express. */
export type ContactTokenCreate = (
  | { id: string; email?: string | undefined }
  | { id?: string | undefined; email: string }
) & {
  /** From 300 to 31 536 000 (365 days). Default: one calendar year (Spec 2.2). */
  expiresInSeconds?: number | undefined
}

/**
 * What the widget asks the site's own address for contact tokens (ours, `tokenHandler` of the SDK answers it): the id of
 * the contact that it shows, and the state of the token that it holds of that contact.
 */
export const tokenRequestSchema = v.object({
  contact: v.nullable(string()),
  token: v.picklist(['valid', 'expired', 'none'], fieldMessage('invalid_format', 'Must be valid, expired or none.')),
})
export type TokenRequest = v.InferOutput<typeof tokenRequestSchema>
