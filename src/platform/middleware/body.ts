import { type Endpoint, type FieldError, validate } from '../../contract/index.ts'
import { ProblemError, problem } from '../domain/problem.ts'
import type { Middleware } from './context.ts'
import { parseParameters, toObject } from './parameters.ts'

/** Ours: the largest body, where the endpoint's row says nothing else. */
const defaultMaxBytes = 32 * 1024
/** Ours: the largest sum of all header names and values. */
export const maxHeaderBytes = 16 * 1024

/** Refuses what is too large by its own account, before anything else is looked at. */
export const limitSize =
  (maxBytes = defaultMaxBytes): Middleware =>
  async (c, next) => {
    let size = 0
    for (const [name, value] of c.req.raw.headers) size += name.length + value.length
    if (size > maxHeaderBytes) throw problem('headers_too_large', { headers: { connection: 'close' } })
    if (Number(c.req.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
    await next()
  }

/** Parses the query, then the body, with the endpoint's schemas; where it takes none, what is sent is not looked at. */
export const parseRequest =
  ({ query, body }: Endpoint): Middleware =>
  async (c, next) => {
    // A body that nobody asked for is read too, since it may be too large without saying so.
    const parsedBody = body ? await readBody(c.req.raw, body) : await readBytes(c.req.raw, defaultMaxBytes)
    if (query) c.set('query', checked(query, toObject(parseParameters(new URL(c.req.url).search.slice(1)))))
    if (body) {
      const entries = (parsedBody as { data?: unknown } | null)?.data
      if (body.maxEntries && Array.isArray(entries) && entries.length > body.maxEntries)
        throw problem('too_many_entries', { detail: `Send at most ${body.maxEntries} entries.` })
      c.set('body', checked(body.schema, parsedBody))
    }
    await next()
  }

function checked(schema: NonNullable<Endpoint['query']>, input: unknown): unknown {
  const result = validate(schema, input)
  if ('output' in result) return result.output
  throw invalid(result.errors)
}

const invalid = (errors: FieldError[]): ProblemError =>
  problem('invalid_request', { detail: 'See errors for the fields in question.', errors })

async function readBody(request: Request, { forms, maxBytes }: NonNullable<Endpoint['body']>): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes ?? defaultMaxBytes)
  // Ours: an empty body is no body, whatever its declared type. Many clients declare JSON on every call.
  if (bytes.length === 0) return {}
  const contentType = request.headers.get('content-type') ?? ''
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return parseJson(decode(bytes))
  if (forms && type === 'application/x-www-form-urlencoded') return toObject(parseParameters(decode(bytes)))
  if (forms && type === 'multipart/form-data') return parseMultipart(bytes, contentType)
  const types = forms
    ? 'application/json, application/x-www-form-urlencoded or multipart/form-data'
    : 'application/json'
  throw problem('unsupported_media_type', { detail: `Send ${types}.`, headers: { accept: types.replace(' or', ',') } })
}

/** Stops to read at the limit: a body whose length nobody has declared must not fill the memory. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ProblemError) throw error
    // Whoever hangs up in the middle is no failure of ours.
    throw problem('malformed_body', { detail: 'The body broke off.' })
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

const tooLarge = (maxBytes: number): ProblemError =>
  // The rest of the body is not read, so the connection can't be used again.
  problem('body_too_large', { detail: `Send at most ${maxBytes} bytes.`, headers: { connection: 'close' } })

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw problem('malformed_body', { detail: 'The body is not UTF-8.' })
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body, which may hold a token.
    throw problem('malformed_body', { detail: 'The body is not JSON.' })
  }
}

async function parseMultipart(bytes: Uint8Array<ArrayBuffer> | Uint8Array, contentType: string): Promise<unknown> {
  const message = new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
  const form = await message.formData().catch(() => {
    throw problem('malformed_body', {
      detail: 'The body is not multipart/form-data with the boundary that it declares.',
    })
  })
  return toObject([...form])
}
