import { attachmentTypes, uploadSchema } from '../attachments.ts'
import { data, type Endpoint } from '../endpoint.ts'
import { maxAttachmentBytes } from '../limits.ts'
import { upload } from './samples.ts'

/** The description of every upload; `next` says what comes after it. */
export const uploading = (next: string): string =>
  [
    'Stores a PNG, JPEG, WebP, GIF, PDF or plain text of at most 10 MiB. The content decides about the type, never a name or a header. Metadata of pictures, such as the place where a photo was taken, is removed; the orientation stays. A picture may have at most 40 megapixels.',
    'The id makes a repetition harmless: the same file again gets 200, another file 409.',
    `${next} A file without a message is erased after an hour.`,
  ].join('\n\n')

export const downloading =
  'The response tells browsers to save the file, and to run nothing in it. Do not show it as a page of your site.'

/** The parts of all endpoints that take a file. A phone with a slow connection needs minutes for a large one. */
export const uploadOfFile = {
  timeLimitMs: 300_000,
  upload: { maxBytes: maxAttachmentBytes },
  success: {
    status: 201,
    description: 'The file was stored.',
    ...data(uploadSchema, upload),
    also: { 200: 'The same file was stored before.' },
  },
  errors: ['attachments_off', 'file_refused', 'id_reused', 'not_found'],
} satisfies Partial<Endpoint>

/** The parts of all endpoints that return a file. */
export const downloadOfFile = {
  timeLimitMs: 300_000,
  success: { status: 200, description: 'The file, to be saved.', file: attachmentTypes },
  errors: ['not_found'],
} satisfies Partial<Endpoint>

/** The parts of all endpoints that delete a file which no message has. */
export const deletionOfUpload = {
  description:
    'Deletes a file that its sender has uploaded and not sent. It no longer counts for the limits of the day. Not found if there is no such upload, and if a message has the file: then delete the message.',
  success: { status: 204, description: 'The file was deleted.' },
  errors: ['not_found'],
} satisfies Partial<Endpoint>
