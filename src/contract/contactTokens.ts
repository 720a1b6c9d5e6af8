import * as v from 'valibot'
import { emailSchema } from './contacts.ts'
import { text, timestamp } from './formats.ts'
import { fieldMessage, object, wholeNumber } from './validation.ts'

/** Ours: `c:` and 64 lower-case hex digits (the specification says `c:<hex_string>`). */
export const contactTokenPattern: RegExp = /^c:[0-9a-f]{64}$/
/** The token of an anonymous session. */
export const visitorTokenPattern: RegExp = /^v:[0-9a-f]{64}$/
/** Ours: `o_` and 43 base64url characters. */
export const organizationTokenPattern: RegExp = /^o_[A-Za-z0-9_-]{43}$/

/** A contact token, shown once (specification: "Contact token"). */
export const contactTokenSchema = object({
  token: v.pipe(
    text('Token for the widget. It is shown only once.'),
    v.metadata({ pattern: contactTokenPattern.source }),
  ),
  createdAt: timestamp('When the token was created.'),
  expiresAt: timestamp('When the token expires: after one year, or after `expiresInSeconds`.'),
})
export type ContactToken = v.InferOutput<typeof contactTokenSchema>

/** The shortest and the longest life of a contact token that a request may ask for, in seconds. */
const minTokenSeconds = 300
const maxTokenSeconds = 31_536_000

/** A form sends a field that was left empty as `""`. */
const empty = v.pipe(
  v.literal(''),
  v.transform(() => undefined),
)

/**
 * Body of create contact token (specification: "Contact tokens"): at least one of `id` and `email`. Ours: both must name
 * the same contact. Ours: `expiresInSeconds` must be a JSON number. A form, whose values are all texts, is refused, because
 * ignoring the field would create a token that is valid for a year.
 */
export const contactTokenCreateSchema = v.pipe(
  object({
    id: v.optional(
      v.pipe(
        v.string(),
        v.description('Id of the contact. `""` counts as not given.'),
        v.transform(id => id || undefined),
      ),
    ),
    email: v.optional(v.union([empty, emailSchema])),
    expiresInSeconds: v.optional(
      wholeNumber(
        'Seconds until the token expires; default: one calendar year. Only in JSON; a form with this field is refused.',
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
  /** From 300 to 31 536 000 (365 days). Default: one calendar year (specification: "Contact token"). */
  expiresInSeconds?: number | undefined
}

/**
 * Body of the widget's request for a contact token to the site's own server (ours; `tokenHandler` of the SDK answers it):
 * the id of the contact that the widget shows, and the state of the token that it has for that contact.
 */
export const tokenRequestSchema = object({
  contact: v.nullable(v.string()),
  token: v.picklist(['valid', 'expired', 'none'], fieldMessage('invalid_format', 'Must be valid, expired or none.')),
})
export type TokenRequest = v.InferOutput<typeof tokenRequestSchema>
