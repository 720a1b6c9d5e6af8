import { problem } from '../domain/problem.ts'

/** The depth to which arrays and objects may be nested. */
const maxDepth = 100
/** Thirty values for each of the thousand entries of an upsert. */
const maxValues = 30_000

const [quote, backslash, comma, colon] = Buffer.from('"\\,:')
const [openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('[]{}')

/**
 * Throws `malformed_body` for JSON that takes long to parse for its size: deep nesting, or hundreds of thousands of values.
 * Parsing cannot be interrupted, and every other request waits for it.
 */
export function checkJsonStructure(json: Buffer): void {
  let depth = 0
  let values = 0
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]
    if (byte === quote) index = endOfString(json, index)
    else if (byte === comma || byte === colon) values++
    else if (byte === closeBracket || byte === closeBrace) depth--
    else if (byte === openBracket || byte === openBrace) depth++
    if (depth > maxDepth) throw problem('malformed_body', { detail: `Nest at most ${maxDepth} arrays and objects.` })
    if (values > maxValues)
      throw problem('malformed_body', {
        detail: `Send at most ${maxValues} values in a body. Leave out properties that are not fields of a contact.`,
      })
  }
}

/** The index of the quote that ends the string, or the length of the text if the string does not end. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let first = end
    while (json[first - 1] === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return json.length
}
