import * as v from 'valibot'
import { emailSchema } from './contacts.ts'
import { text, timestamp } from './formats.ts'
import { fieldMessage, string } from './validation.ts'

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
  expiresAt: timestamp('One year later.'),
})
export type ContactToken = v.InferOutput<typeof contactTokenSchema>

/** Body of create contact token (Spec 4.1): at least one of the two; ours: both must name the same contact. */
export const contactTokenCreateSchema = v.pipe(
  v.object({
    id: v.optional(v.pipe(string(), v.description('Id of the contact.'))),
    email: v.optional(emailSchema),
  }),
  v.check(
    body => body.id !== undefined || body.email !== undefined,
    fieldMessage('missing', 'Send the id or the email of the contact.'),
  ),
  v.metadata({ anyOf: [{ required: ['id'] }, { required: ['email'] }] }),
)
/** At least one of the two, which the schema's type cannot express. */
export type ContactTokenCreate = { id: string; email?: string | undefined } | { id?: string | undefined; email: string }
