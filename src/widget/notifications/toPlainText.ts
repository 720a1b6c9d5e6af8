import type { Message } from '../../contract/index.ts'

/** How much of a message is looked at: more than two lines can show. */
const maxLength = 400

/** Replaced from the first to the last. They need not cover all of Markdown: what they miss is shown as it was written. */
const replacements: readonly [RegExp, string][] = [
  // The fences of code, and rows of a table that only separate.
  [/^ *(`{3,}|~{3,}).*$|^[ |:-]+$/gm, ''],
  // Marks of headings, quotes and lists.
  [/^ *(#{1,6}|>|[-*+]|\d+[.)]) +/gm, ''],
  // Images and links.
  [/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1'],
  [/(\*\*|__|~~|`)(\S|\S.*?\S)\1/g, '$2'],
  [/(^|\s)[*_](\S|\S.*?\S)[*_](?=\W|$)/g, '$1$2'],
  [/\||<br *\/?>/gi, ' '],
]

/** Returns the beginning of a message on one line, without the marks of Markdown, or the names of its files. */
export function toPlainText({
  text,
  format,
  attachments = [],
}: Pick<Message, 'text' | 'format' | 'attachments'>): string {
  if (!text) return attachments.map(({ name }) => name).join(', ')
  let plain = text.slice(0, maxLength)
  if (format === 'markdown')
    for (const [pattern, replacement] of replacements) plain = plain.replace(pattern, replacement)
  return plain.replace(/\s+/g, ' ').trim()
}
