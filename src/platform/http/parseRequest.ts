import { isAscii } from 'node:buffer'
import { type FieldError, type Route, searchNames, validate } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { fieldProblem, maxErrors, type ProblemError, problem } from '../domain/problem.ts'
import { mapInSlices } from '../mapInSlices.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { defaultMaxBytes, hasBody, readBytes } from './readBody.ts'

type Entries = NonNullable<NonNullable<Route['body']>['entries']>

/**
 * Reads the body, then validates the query, then the body, with the endpoint's schemas; without a schema they are ignored. So
 * a body that cannot be read or parsed is reported before a wrong query.
 */
export function parseRequest({ query, body }: Route, clock: Pick<Clock, 'setTimeout'>): Middleware {
  const check = async (c: AppContext, parsedBody: unknown): Promise<void> => {
    if (query) c.set('query', requireValid(validate(query, toObject(parseParameters(searchOf(c.req.url))))))
    if (!body) return
    const { entries } = body
    if (entries && Array.isArray(parsedBody))
      throw fieldProblem('', 'wrong_type', 'Must be an object with the array in it: {"data": [...]}.')
    const data = (parsedBody as { data?: unknown } | null)?.data
    if (!entries || !Array.isArray(data)) {
      c.set('body', requireValid(validate(body.schema, parsedBody)))
      return
    }
    if (data.length > entries.max) throw problem('too_many_entries', { detail: `Send at most ${entries.max} entries.` })
    c.set('body', requireValid(await validateEntries(entries, data)))
  }
  const read = async (c: AppContext): Promise<unknown> => {
    // Also read a body that the endpoint ignores: it may exceed the limit without declaring a length.
    const bytes = await readBytes(c, body?.maxBytes ?? defaultMaxBytes, clock)
    // Treat an empty body as none, whatever its content type. Many clients send a JSON content type with every
    // request.
    if (bytes.length === 0) return {}
    if (body) return parseBody(bytes, c, body.forms)
    if (query) refuseFilters(bytes)
    return {}
  }
  return async (c, next) => {
    await check(c, hasBody(c) ? await read(c) : {})
    await next()
  }
}

/**
 * Refuses a body with filters. It would be ignored, and the search would find everybody. Its form is told from the text: many
 * clients declare another one.
 */
function refuseFilters(bytes: Uint8Array): void {
  const name = namesIn(new TextDecoder().decode(bytes).trim()).find(each => searchNames.includes(each))
  if (name !== undefined) throw fieldProblem(`/${name}`, 'unknown', 'Send query or email in the query string.')
}

/** The names of the fields of a body in JSON, multipart/form-data or the form of a query string. */
function namesIn(text: string): string[] {
  if (text.startsWith('{')) return Object.keys(Object(parseJson(text)))
  if (text.startsWith('--')) return [...text.matchAll(/;\s*name="?(\w+)/g)].map(([, name = '']) => name)
  return [...new URLSearchParams(text).keys()]
}

function searchOf(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return ''
  const end = url.indexOf('#', start)
  return url.slice(start + 1, end < 0 ? url.length : end)
}

function requireValid<Output>(result: { output: Output } | { errors: FieldError[] }): Output {
  if ('output' in result) return result.output
  throw problem('invalid_request', { detail: 'See errors for the fields in question.', errors: result.errors })
}

/** Validates the entries of `data` one by one, with pauses, so that other requests do not wait for all of them. */
async function validateEntries(
  { schema }: Entries,
  entries: unknown[],
): Promise<{ output: { data: unknown[] } } | { errors: FieldError[] }> {
  const errors: FieldError[] = []
  const data = await mapInSlices(entries, (entry, index) => {
    if (errors.length >= maxErrors) return undefined
    const result = validate(schema, entry)
    if ('output' in result) return result.output
    for (const { pointer, ...error } of result.errors)
      errors.push({ pointer: `/data/${index}${pointer}`, ...error, index })
    return undefined
  })
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : { output: { data } }
}

function parseBody(bytes: Buffer<ArrayBuffer>, { req }: AppContext, forms = false): unknown {
  const encoding = req.header('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw unsupported(forms, 'Send the body without a Content-Encoding.')
  const contentType = req.header('content-type') ?? ''
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (!isUtf8(contentType, bytes)) throw unsupported(forms, 'Send the body as UTF-8.')
  if (type === 'application/json') {
    // Bodies of ordinary size are parsed in a moment, whatever they contain.
    if (bytes.length > defaultMaxBytes) checkJsonStructure(bytes)
    return parseJson(decodeUtf8(bytes))
  }
  if (forms && type === 'application/x-www-form-urlencoded') return toObject(parseParameters(decodeUtf8(bytes)))
  if (forms && type === 'multipart/form-data') return parseMultipart(bytes, contentType)
  throw unsupported(forms)
}

function unsupported(forms: boolean, detail?: string): ProblemError {
  const types = forms
    ? 'application/json, application/x-www-form-urlencoded or multipart/form-data'
    : 'application/json'
  return problem('unsupported_media_type', {
    detail: detail ?? `Send ${types}.`,
    headers: { accept: types.replace(' or', ',') },
  })
}

/** Many clients declare a charset that has nothing to do with what they send. In ASCII, most charsets are the same. */
function isUtf8(contentType: string, bytes: Uint8Array): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return true
  return /^(?:us-)?ascii$|^iso-8859-|^latin-?1$|^windows-125/i.test(charset) && isAscii(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw problem('malformed_body', { detail: 'The body is not UTF-8.' })
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    // Do not pass on the parser's message: it quotes the body, which may contain a token.
    throw problem('malformed_body', { detail: 'The body is not JSON.' })
  }
}

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
function checkJsonStructure(json: Buffer): void {
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

async function parseMultipart(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<unknown> {
  // Check the encoding first: the parser would replace invalid UTF-8.
  decodeUtf8(bytes)
  const message = new Response(bytes, { headers: { 'content-type': contentType } })
  const form = await message.formData().catch(() => {
    throw problem('malformed_body', {
      detail: 'The body is not multipart/form-data with the boundary that it declares.',
    })
  })
  return toObject([...form])
}

/**
 * Parses a query or an urlencoded body into names and values. A `%` that encodes nothing stands for itself, so that an
 * unencoded query works. Empty pieces (`?&page=2`) are skipped. Throws `invalid_request` for bytes that are not UTF-8.
 */
function parseParameters(text: string): [string, string][] {
  const pieces = text.split('&').filter(piece => piece !== '')
  return pieces.map(piece => {
    const equals = piece.indexOf('=')
    const [name, value] = equals < 0 ? [piece, ''] : [piece.slice(0, equals), piece.slice(equals + 1)]
    return [decodeComponent(name), decodeComponent(value)]
  })
}

function decodeComponent(text: string): string {
  const spaced = text.replaceAll('+', ' ').replace(/%(?![0-9a-fA-F]{2})/g, '%25')
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw fieldProblem('', 'invalid_character', 'Percent-encode text as UTF-8.')
  }
}

/** Converts parameters to an object. Throws if one is repeated: some parsers take the first value, others the last. */
function toObject<Value>(entries: [string, Value][]): Record<string, Value> {
  const seen = new Set<string>()
  for (const [name] of entries) {
    if (seen.has(name)) throw fieldProblem(`/${name}`, 'repeated', 'Send this field once.')
    seen.add(name)
  }
  return Object.fromEntries(entries)
}
