import * as v from 'valibot'
import { fieldMessage } from './validation.ts'

export const formatSchema = v.pipe(
  v.picklist(['plain', 'markdown'], fieldMessage('invalid_format', 'Must be plain or markdown.')),
  v.description('Format of the text.'),
)

interface Content {
  text?: string | undefined
  attachments?: unknown[] | undefined
}

/** Whether a message has something to show: a text or a file. */
export const hasContent = ({ text = '', attachments = [] }: Content): boolean => text !== '' || attachments.length > 0

/** The same rule for the OpenAPI document. */
export const withContent = {
  anyOf: [
    { required: ['text'], properties: { text: { minLength: 1 } } },
    { required: ['attachments'], properties: { attachments: { minItems: 1 } } },
  ],
}

/** The error of a text that is absent or blank although there are no files. */
export const contentMissing = ({ input: { text } }: { input: Content }): string =>
  text === undefined
    ? fieldMessage('missing', 'Send a text, or attachments.')
    : fieldMessage('too_short', 'Must contain a visible character, unless there are attachments.')
