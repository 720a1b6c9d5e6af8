import { isAscii } from 'node:buffer'
import { type Endpoint, type FieldError, searchNames, validate } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { type ProblemError, problem } from '../domain/problem.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { readBytes, tooLarge } from './bytes.ts'
import { checkJsonStructure } from './jsonStructure.ts'
import { parseParameters, toObject } from './parameters.ts'
import { validateEntries } from './validateEntries.ts'

/** The largest body, unless the endpoint says otherwise. */
export const defaultMaxBytes = 32 * 1024
/** The largest total size of header names and values. */
export const maxHeaderBytes = 16 * 1024

/** Rejects requests whose headers, or whose declared length, are too large, before anything else is checked. */
export function limitSize({ env, req }: AppContext, maxBytes = defaultMaxBytes): void {
  const declared = req.header('content-length') ?? '0'
  // Node's parser has checked requests that came over a port.
  if (!env.incoming) {
    let size = 0
    for (const [name, value] of req.raw.headers) size += name.length + value.length
    if (size > maxHeaderBytes) throw problem('headers_too_large', { headers: { connection: 'close' } })
    if (!/^\d+$/.test(declared))
      throw problem('invalid_request', {
        detail: 'Send a Content-Length that is a whole number of bytes, or leave it out.',
      })
  }
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
}

/**
 * Reads the body, then validates the query, then the body, with the endpoint's schemas; without a schema they are ignored. So
 * a body that cannot be read or parsed is reported before a wrong query.
 */
export function parseRequest({ query, body }: Endpoint, clock: Pick<Clock, 'setTimeout'>): Middleware {
  const check = async (c: AppContext, parsedBody: unknown): Promise<void> => {
    if (query) c.set('query', requireValid(validate(query, toObject(parseParameters(searchOf(c.req.url))))))
    if (!body) return
    const { entries } = body
    if (entries && Array.isArray(parsedBody))
      throw invalid([
        { pointer: '', code: 'wrong_type', detail: 'Must be an object with the array in it: {"data": [...]}.' },
      ])
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
  if (name !== undefined)
    throw invalid([{ pointer: `/${name}`, code: 'unknown', detail: 'Send query or email in the query string.' }])
}

/** The names of the fields of a body in JSON, multipart/form-data or the form of a query string. */
function namesIn(text: string): string[] {
  if (text.startsWith('{')) return Object.keys(Object(parseJson(text)))
  if (text.startsWith('--')) return [...text.matchAll(/;\s*name="?(\w+)/g)].map(([, name = '']) => name)
  return [...new URLSearchParams(text).keys()]
}

export function hasBody({ env: { incoming }, req }: AppContext): boolean {
  if (req.method === 'GET' || req.method === 'HEAD') return false
  if (!incoming) return req.raw.body !== null
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers
  return encoding !== undefined || (length !== undefined && length !== '0')
}

function searchOf(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return ''
  const end = url.indexOf('#', start)
  return url.slice(start + 1, end < 0 ? url.length : end)
}

function requireValid<Output>(result: { output: Output } | { errors: FieldError[] }): Output {
  if ('output' in result) return result.output
  throw invalid(result.errors)
}

const invalid = (errors: FieldError[]): ProblemError =>
  problem('invalid_request', { detail: 'See errors for the fields in question.', errors })

function parseBody(bytes: Buffer<ArrayBuffer>, { req }: AppContext, forms: boolean): unknown {
  const encoding = req.header('content-encoding') ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw unsupported(forms, () => 'Send the body without a Content-Encoding.')
  const contentType = req.header('content-type') ?? ''
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (!isUtf8(contentType, bytes)) throw unsupported(forms, () => 'Send the body as UTF-8.')
  if (type === 'application/json') {
    // Bodies of ordinary size are parsed in a moment, whatever they contain.
    if (bytes.length > defaultMaxBytes) checkJsonStructure(bytes)
    return parseJson(decode(bytes))
  }
  if (forms && type === 'application/x-www-form-urlencoded') return toObject(parseParameters(decode(bytes)))
  if (forms && type === 'multipart/form-data') return parseMultipart(bytes, contentType)
  throw unsupported(forms, types => `Send ${types}.`)
}

function unsupported(forms: boolean, detailOf: (types: string) => string): ProblemError {
  const types = forms
    ? 'application/json, application/x-www-form-urlencoded or multipart/form-data'
    : 'application/json'
  return problem('unsupported_media_type', { detail: detailOf(types), headers: { accept: types.replace(' or', ',') } })
}

/** Many clients declare a charset that has nothing to do with what they send. In ASCII, most charsets are the same. */
function isUtf8(contentType: string, bytes: Uint8Array): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return true
  return /^(?:us-)?ascii$|^iso-8859-|^latin-?1$|^windows-125/i.test(charset) && isAscii(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
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

async function parseMultipart(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<unknown> {
  // Check the encoding first: the parser would replace invalid UTF-8.
  decode(bytes)
  const message = new Response(bytes, { headers: { 'content-type': contentType } })
  const form = await message.formData().catch(() => {
    throw problem('malformed_body', {
      detail: 'The body is not multipart/form-data with the boundary that it declares.',
    })
  })
  return toObject([...form])
}
