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
/** Other beginnings that the rules give another type. */
const otherType = /^(?:%PDF-|%!PS-Adobe-)/
/** Control characters, except white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const control = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]/

/** Yields plain text: UTF-8 without control characters that no browser takes for markup. Throws for everything else. */
export async function* cleanText(reader: ByteReader): AsyncGenerator<Buffer, undefined> {
  const start = (await reader.peek(sniffedBytes)).subarray(0, sniffedBytes).toString('utf8')
  if (start === '' || markup.test(start) || otherType.test(start)) throw notText()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (;;) {
    const arrived = await reader.peek(1)
    if (isWrong(decoder, arrived)) throw notText()
    if (arrived.length === 0) return
    yield* reader.pass(arrived.length)
  }
}

/** Whether a part of the file is not text. An empty part ends it. */
function isWrong(decoder: TextDecoder, part: Buffer): boolean {
  try {
    return control.test(decoder.decode(part, { stream: part.length > 0 }))
  } catch {
    return true
  }
}

const notText = (): FileProblemError => new FileProblemError('unknown_type')
