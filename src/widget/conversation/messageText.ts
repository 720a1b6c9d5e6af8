// The platform's rules for the text of a message.

/** In code points after trimming. */
export const maxMessageLength = 4000

/** Trims as the platform does: the indentation of the first line stays if there are others, as in pasted code. */
export function trimText(text: string): string {
  const lines = text.trimEnd().replace(/^\s*\n/, '')
  return lines.includes('\n') ? lines : lines.trim()
}

/** Counts as the platform does: code points after trimming. */
export const messageLength = (text: string): number => [...trimText(text)].length

/** Whether a text has nothing that can be seen, such as one of zero-width spaces only. */
export const isBlank = (text: string): boolean => !/[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)

/** Trims a text, and replaces what the platform refuses: NUL and unpaired surrogates. */
export const cleanText = (text: string): string =>
  // `toWellFormed` is missing in Firefox 115.
  trimText(text.replace(/\0/g, '').replace(/\p{Surrogate}/gu, '\ufffd'))
