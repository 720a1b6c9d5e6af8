import * as v from 'valibot'
import { id, integer, text, timestamp } from './formats.ts'
import { maxRawPhoneLength, plainPhone } from './phone.ts'
import { fieldMessage, isVisible, maxCodePoints, notEmpty, object } from './validation.ts'

/** The most entries of one upsert (specification: "Limits"). */
export const maxUpsertEntries = 1000

// The specification's sample response omits mid and wid, and clients must tolerate that: treat absent fields as unset.
const unset = (description: string) => v.fallback(text(description), '')

/** A contact in a response: eight strings, of which unset ones are `""` (specification: "Contact"). */
export const contactSchema = object({
  id: id('Unique identifier of the contact.'),
  name: text('Name of the contact.'),
  email: text('Email of the contact, as it was sent. Unique within the organization.'),
  phone: unset('Phone number, in ASCII; `""` where unset.'),
  mid: unset('Messenger ID, as the Facebook integration delivers it; `""` where unset.'),
  wid: unset('WhatsApp ID, the phone number in international format with a leading `+`; `""` where unset.'),
  createdAt: timestamp('When the contact was created.'),
  updatedAt: timestamp('When the contact was last changed.'),
})
export type Contact = v.InferOutput<typeof contactSchema>

/** What contacts see of what is stored about them. */
export const contactDataSchema = object({
  name: contactSchema.entries.name,
  email: contactSchema.entries.email,
  phone: contactSchema.entries.phone,
  createdAt: contactSchema.entries.createdAt,
  messages: integer('Messages of the conversation.', 0),
  attachments: integer('Files of these messages.', 0),
})
export type ContactData = v.InferOutput<typeof contactDataSchema>

const controls = /\p{Cc}/u
// Overrides and isolates reorder the surrounding text, so a name could change the sentence around it.
const bidiOverrides = /[\u202a-\u202e\u2066-\u2069]/

// NFC sorts each run of combining marks in quadratic time. 30 is the limit of Unicode's Stream-Safe Text Format (UAX 15).
const tooManyMarks = /\p{M}{31}/u

const maxNameLength = 255

/** 1–255 code points after trimming, NFC, no control, bidi-override or unpaired surrogate characters. */
export const nameSchema = v.pipe(
  v.string(),
  v.trim(),
  // A normalized code point comes from at most four, each of at most two UTF-16 units. This rejects no valid name.
  v.check(
    name => name.length <= maxNameLength * 8,
    fieldMessage('too_long', `Must have at most ${maxNameLength} characters.`),
  ),
  v.check(
    name => name.isWellFormed() && !controls.test(name) && !bidiOverrides.test(name),
    fieldMessage('invalid_character', 'Must not contain control or text-direction characters.'),
  ),
  v.check(
    name => !tooManyMarks.test(name),
    fieldMessage('invalid_character', 'Must not contain more than 30 combining marks in a row.'),
  ),
  v.normalize('NFC'),
  v.check(isVisible, fieldMessage('too_short', 'Must contain a visible character.')),
  maxCodePoints(maxNameLength),
  v.metadata({
    description:
      'Name. White space around it is removed. It must not contain control characters or characters that change the text direction.',
    minLength: 1,
    maxLength: maxNameLength,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$',
  }),
)

const maxEmailLength = 254
const label = /^[\p{L}\p{M}\p{Nd}](?:[\p{L}\p{M}\p{Nd}-]*[\p{L}\p{M}\p{Nd}])?$/u

/** Whether a text has the form of a supported email address. Linear in its length. */
export function isEmail(text: string): boolean {
  if (text.length > maxEmailLength) return false
  const [local, domain, ...more] = text.split('@')
  if (local === undefined || domain === undefined || more.length > 0) return false
  if (local.length < 1 || local.length > 64) return false
  if (!/^[\x21-\x7e]+$/.test(local) || !domain.isWellFormed()) return false
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every(part => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

/** One `@`, ASCII local part of 1–64, at most 254 in all, a dotted domain whose last label is not numeric. */
export const emailSchema = v.pipe(
  v.string(),
  v.trim(),
  notEmpty,
  v.check(
    text => text === '' || isEmail(text),
    issue =>
      /^\S+ \S+@/.test(issue.input.slice(0, maxEmailLength))
        ? fieldMessage('invalid_format', 'Must be like ada@example.com; in a form body send a plus sign as %2B.')
        : fieldMessage('invalid_format', 'Must be an email address such as ada@example.com.'),
  ),
  v.metadata({
    description: 'Email. Compared without regard to case and to the spelling of an international domain.',
    format: 'idn-email',
    maxLength: maxEmailLength,
    pattern: '^[!-?A-~]{1,64}@[^@\\s]+\\.[^@\\s]+$',
  }),
)

const plainWid = (text: string): string => plainPhone(text).replace(/[ .()[\]-]/g, '')

/**
 * At most 40 characters of digits, space and `+ ( ) . / x # -`, or `ext.`. Stored without spaces around it and characters
 * that only lay text out, and with other digits, spaces and hyphens in ASCII; `""` clears.
 */
export const phoneSchema = v.pipe(
  v.string(),
  v.metadata({
    description: 'Phone number. White space around it is removed; `""` clears it.',
    maxLength: maxRawPhoneLength,
  }),
  v.transform(text => plainPhone(text).trim()),
  maxCodePoints(40),
  v.check(
    phone => /^[\d +()./x#-]*$/.test(phone.replaceAll('ext.', '')),
    fieldMessage('invalid_format', 'Must contain only digits, spaces and + ( ) . / x # - or ext.'),
  ),
)

/** The WhatsApp id, E.164 with a leading `+` (specification: "Contact"). Stored without spaces and hyphens; `""` clears. */
export const widSchema = v.pipe(
  v.string(),
  v.check(
    text => /^(?:\+[1-9]\d{1,14})?$/.test(plainWid(text)),
    issue =>
      issue.input.startsWith(' ')
        ? fieldMessage('invalid_format', 'Must be like +4712345678; in a form body send the plus sign as %2B.')
        : fieldMessage('invalid_format', 'Must be an international phone number such as +4712345678.'),
  ),
  v.metadata({
    description: 'WhatsApp ID: a phone number in international format with a leading `+`; `""` clears it.',
    maxLength: maxRawPhoneLength,
  }),
  v.transform(plainWid),
)

/** The Messenger id; ours: at most 128 visible ASCII characters; `""` clears. */
export const midSchema = v.pipe(
  v.string(),
  maxCodePoints(128),
  v.regex(/^[\x21-\x7e]*$/, fieldMessage('invalid_character', 'Must contain only visible ASCII characters.')),
  v.metadata({ description: 'Messenger ID; `""` clears it.', maxLength: 128 }),
)

/** Body of create contact (specification: "Contacts"): name and email are required. */
export const contactCreateSchema = object({
  name: nameSchema,
  email: emailSchema,
  phone: v.optional(phoneSchema, ''),
  mid: v.optional(midSchema, ''),
  wid: v.optional(widSchema, ''),
})
export type ContactCreate = v.InferInput<typeof contactCreateSchema>

/** Body of update contact (specification: "Contacts"): all optional; an absent field stays as it is. */
export const contactUpdateSchema = object({
  name: v.optional(nameSchema),
  email: v.optional(emailSchema),
  phone: v.optional(phoneSchema),
  mid: v.optional(midSchema),
  wid: v.optional(widSchema),
})
export type ContactUpdate = v.InferInput<typeof contactUpdateSchema>
/** The fields that an organization sets. Columns have the same names. */
export const contactFields: readonly string[] = Object.keys(contactUpdateSchema.entries)

/** One entry of an upsert; ours: the email decides which contact is meant, a new one needs a name too. */
export const contactUpsertEntrySchema = object({ ...contactUpdateSchema.entries, email: emailSchema })
export type ContactUpsertEntry = v.InferInput<typeof contactUpsertEntrySchema>

/** Body of upsert contacts (specification: "Contacts"). Exceeding 1000 entries has a separate error code. */
export const contactUpsertSchema = object({
  data: v.pipe(v.array(contactUpsertEntrySchema), v.metadata({ maxItems: maxUpsertEntries })),
})

/** What an upsert did with one entry (specification: "Upsert result entry"). */
export const upsertResultSchema = object({
  index: integer('Position of the entry in the request.'),
  id: id('The contact that was created or updated.'),
})
export type UpsertResult = v.InferOutput<typeof upsertResultSchema>
