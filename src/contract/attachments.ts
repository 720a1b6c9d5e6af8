import * as v from 'valibot'
import { id, integer, text } from './formats.ts'
import { maxAttachments } from './limits.ts'
import { fieldMessage, maxCodePoints, maxEntries, notEmpty, object } from './validation.ts'

/** The accepted types of files. The content decides, never the name or a header. */
export const attachmentTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'application/pdf',
  'text/plain',
] as const
export type AttachmentType = (typeof attachmentTypes)[number]

/** The longest name of a file, in code points. */
export const maxAttachmentNameLength = 200

const type = v.pipe(v.picklist(attachmentTypes), v.description('Type of the file, by its content.'))
const pictureFields = {
  width: v.optional(integer('Width of a picture as it is shown upright, in pixels.', 1)),
  height: v.optional(integer('Height of a picture as it is shown upright, in pixels.', 1)),
}

/** A file that has been uploaded. */
export const uploadSchema = object({
  id: id('Id that its sender has given the file.'),
  type,
  size: integer('Size in bytes, after the removal of metadata.', 1),
  ...pictureFields,
})
export type Upload = v.InferOutput<typeof uploadSchema>

/** A file of a message. */
export const attachmentSchema = object({
  ...uploadSchema.entries,
  name: text('Name of the file. Its ending matches the type.'),
})
export type Attachment = v.InferOutput<typeof attachmentSchema>

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
// Separators of paths, and characters that make a name look like another one.
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** A file to send with a message: an upload, and its name. */
const attachmentInputSchema = object({
  id: v.pipe(
    v.string(),
    v.toLowerCase(),
    v.regex(uuid, fieldMessage('invalid_format', 'Must be the UUID of an upload.')),
    v.metadata({
      description: 'The UUID of an upload of the same sender that no other message has.',
      format: 'uuid',
      pattern: uuid.source.replaceAll('a-f', 'a-fA-F').replaceAll('89ab', '89abAB'),
    }),
  ),
  name: v.pipe(
    v.string(),
    v.trim(),
    v.check(
      name => name.isWellFormed() && !forbidden.test(name),
      fieldMessage('invalid_character', 'Must not contain slashes, control characters or unpaired surrogates.'),
    ),
    notEmpty,
    maxCodePoints(maxAttachmentNameLength),
    v.metadata({ description: 'Name of the file.', minLength: 1, maxLength: maxAttachmentNameLength }),
  ),
})

/** The files to send with a message. */
export const attachmentsSchema = v.pipe(
  v.array(attachmentInputSchema),
  maxEntries(maxAttachments),
  v.check(
    files => new Set(files.map(({ id }) => id)).size === files.length,
    fieldMessage('invalid_format', 'Must not have the same file twice.'),
  ),
  v.description(`Uploaded files of the message, at most ${maxAttachments}.`),
)
export type AttachmentInput = v.InferOutput<typeof attachmentsSchema>[number]
