import { isAscii, isUtf8 } from 'node:buffer'
import type { ByteReader } from './byteReader.ts'
import { FileProblemError } from './fileProblem.ts'

/** How many bytes the WHATWG rules for content types look at. */
const sniffedBytes = 1445
const tags =
  '!DOCTYPE|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|SVG|META|LINK|IMG|OBJECT|EMBED|FORM'
/**
 * The beginnings that the WHATWG rules call HTML or XML, and a few more, because nothing is lost by being strict: the
 * rules know no tags like SVG, and no document types but that of HTML. A byte order mark before them is skipped, which the
 * rules do not do.
 */
const markup = new RegExp(`^\\ufeff?[\\t\\n\\f\\r ]*<(?:(?:${tags})[\\t\\n\\f\\r />]|!--|\\?xml)`, 'i')
/** Whether browsers may take a text for markup, by its beginning. */
export const isMarkup = (text: string): boolean => markup.test(text)
/** Other beginnings that the rules give another type. */
const otherType = /^(?:%PDF-|%!PS-Adobe-)/
/** Control characters, except white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const control = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]/

/**
 * Yields plain text as UTF-8: without control characters, and not what a browser takes for markup. Converts UTF-16 with a
 * byte order mark, and Windows-1252, in which programs such as Excel save. Throws for everything else.
 */
export async function* cleanText(reader: ByteReader): AsyncGenerator<Buffer, undefined> {
  const start = (await reader.peek(sniffedBytes)).subarray(0, sniffedBytes)
  const marked =
    start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : start[0] === 0xfe && start[1] === 0xff && 'utf-16be'
  const shown = new TextDecoder(marked || 'utf-8').decode(start)
  if (shown === '' || isMarkup(shown) || otherType.test(shown)) throw notText()
  // As long as all is ASCII, UTF-8 and Windows-1252 are the same.
  let decoder = marked ? new TextDecoder(marked, { fatal: true }) : undefined
  for (let arrived = await reader.peek(1); arrived.length > 0; arrived = await reader.peek(1)) {
    const ascii = decoder || isAscii(arrived) ? arrived.length : arrived.findIndex(byte => byte > 0x7f)
    if (ascii === 0) {
      const encoding = isUtf8Character(await reader.peek(4)) ? 'utf-8' : 'windows-1252'
      decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
      continue
    }
    for await (const part of reader.pass(ascii)) yield toUtf8(part, decoder)
  }
  yield toUtf8(undefined, decoder)
}

/** Whether the first character is UTF-8. Letters of Windows-1252 almost never are. */
function isUtf8Character(bytes: Buffer): boolean {
  const [first = 0] = bytes
  return isUtf8(bytes.subarray(0, first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2))
}

/** Converts a part of the file. No part ends it. */
function toUtf8(part: Buffer | undefined, decoder = new TextDecoder()): Buffer {
  let text: string
  try {
    text = decoder.decode(part, { stream: part !== undefined })
  } catch {
    throw notText()
  }
  if (control.test(text)) throw notText()
  return Buffer.from(text)
}

const notText = (): FileProblemError => new FileProblemError('unknown_type')
