import { attachmentTypes, maxAttachmentBytes, uploadSchema } from '../attachments.ts'
import type { Endpoint } from '../endpoint.ts'
import { data } from './envelopes.ts'

/** The parts of all endpoints that take a file. A phone with a slow connection needs minutes for a large one. */
export const uploadOfFile = {
  timeLimitMs: 300_000,
  upload: { maxBytes: maxAttachmentBytes },
  success: {
    status: 201,
    schema: data(uploadSchema),
    also: { 200: 'The same file was stored before.' },
  },
  errors: ['attachments_off', 'file_refused', 'id_reused', 'not_found'],
} as const satisfies Partial<Endpoint>

/** The parts of all endpoints that return a file. */
export const downloadOfFile = {
  timeLimitMs: 300_000,
  success: { status: 200, file: attachmentTypes },
  errors: ['not_found'],
} as const satisfies Partial<Endpoint>

/** The parts of all endpoints that delete a file which no message has. */
export const deletionOfUpload = {
  success: { status: 204 },
  errors: ['not_found'],
} as const satisfies Partial<Endpoint>
