import * as expect from './expect.ts'
import { dataOf, type Fields, type Reply } from './reply.ts'

export interface RequestOptions {
  json?: unknown
  form?: Record<string, string>
  multipart?: Record<string, string>
  /** A raw body. Put its content type into `headers`. */
  body?: string
  /** The Authorization header, or `''` for none; default: the organization token as Bearer. */
  authorization?: string
  headers?: Record<string, string>
}

export interface Contact extends Fields {
  id: string
  name: string
  email: string
}

/** The bot on which the rules are tested, with functions to send requests and to clean up. */
export interface TestTarget {
  botId: string
  token: string
  /** Sends a request to a path below the bot's. */
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Requests an event stream, and reads it up to its first event. */
  openStream(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Sends a request to any path of the deployment. */
  requestAnywhere(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** A new unique text of lower-case letters and digits. */
  fresh(): string
  /** A new unique email with the suite's prefix. */
  freshEmail(): string
  /** Creates a contact. */
  newContact(fields?: Record<string, string>): Promise<Contact>
  /** Creates a token for a contact. */
  newToken(contactId: string): Promise<string>
  /** Deletes all contacts that were created since the last call. */
  cleanUp(): Promise<void>
  /** Also deletes contacts of requests without a response; rejects if any are left. */
  sweep(): Promise<void>
}

export interface TestTargetOptions {
  baseUrl: string
  botId: string
  token: string
  fetch: (request: Request) => Promise<Response>
  signal: AbortSignal
}

const answerWithinMs = 30_000
const retryLimits = { times: 3, seconds: 60 }
/** The prefix of the emails of all contacts that the suite creates. */
export const emailPrefix = 'natter-conformance-'
const maxConcurrentDeletions = 8

interface SendOptions {
  /** Aborts between two requests. */
  abortSignal?: AbortSignal
  /** Reads the response; default: its text. */
  read?: (response: Response) => Promise<string>
}

export function createTestTarget({ baseUrl, botId, token, fetch, signal }: TestTargetOptions): TestTarget {
  const bot = `/v1/bots/${encodeURIComponent(botId)}`
  const run = crypto.randomUUID().slice(0, 8)
  const createdIds = new Set<string>()
  let count = 0

  const send = async (
    method: string,
    path: string,
    options: RequestOptions,
    { abortSignal, read = response => response.text() }: SendOptions = {},
  ): Promise<Reply> => {
    const request = `${method} ${path.replace(bot, '')}`
    for (let time = 1; ; time++) {
      // Abort only between requests: an aborted request may create a contact that would not be deleted.
      abortSignal?.throwIfAborted()
      const init = requestOf(method, options, token)
      const limit = AbortSignal.timeout(answerWithinMs)
      const response = await fetch(new Request(baseUrl + path, { ...init, redirect: 'manual', signal: limit }))
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      const text = await read(response)
      if (response.status === 429 && time <= retryLimits.times && seconds <= retryLimits.seconds) await pause(seconds)
      else return { request, status: response.status, headers: response.headers, text }
    }
  }

  const requestAnywhere: TestTarget['requestAnywhere'] = async (method, path, options = {}) => {
    const reply = await send(method, path, options, { abortSignal: signal })
    // A request that should fail may have created contacts.
    if (/\/contacts(?:\?|$)/.test(path) && method !== 'POST' && reply.status < 300)
      for (const id of idsIn(reply)) createdIds.add(id)
    return reply
  }
  const request: TestTarget['request'] = (method, path, options) => requestAnywhere(method, bot + path, options)

  const fresh = (): string => `x${run}${(count++).toString(36).padStart(4, '0')}`
  const freshEmail = (): string => `${emailPrefix}${fresh()}@example.com`

  // Not with the caller's signal: clean up after an interruption, too.
  const remove = (id: string): Promise<Reply> => send('DELETE', `${bot}/contacts/${encodeURIComponent(id)}`, {})
  const removeAll = async (ids: Iterable<string>): Promise<void> => {
    const waiting = [...ids]
    const worker = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const { status } = await remove(id)
        if (status < 300 || status === 404) createdIds.delete(id)
      }
    }
    await Promise.all(Array.from({ length: maxConcurrentDeletions }, worker))
  }

  return {
    botId,
    token,
    request,
    openStream: (method, path, options = {}) =>
      send(method, bot + path, options, { abortSignal: signal, read: readFirstEvent }),
    requestAnywhere,
    fresh,
    freshEmail,
    async newContact(fields = {}) {
      const reply = await request('PUT', '/contacts', { json: { name: 'Conformance', email: freshEmail(), ...fields } })
      expect.success(reply)
      return dataOf(reply) as Contact
    },
    async newToken(id) {
      const reply = await request('PUT', '/auth/contacts', { json: { id } })
      expect.success(reply)
      return String(dataOf(reply)['token'])
    },
    cleanUp: () => removeAll(createdIds),
    async sweep() {
      await removeAll(createdIds)
      // Only contacts of this run: another one may be in progress.
      const query = `${bot}/contacts?limit=100&query=${emailPrefix}x${run}`
      for (let page = 0; page < 100; page++) {
        const left = idsIn(await send('POST', query, {}))
        if (left.length === 0) break
        await removeAll(left)
      }
      if (createdIds.size > 0) throw new Error(`These contacts could not be deleted: ${[...createdIds].join(', ')}`)
    },
  }
}

const pause = (seconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, seconds * 1000))

/** Reads a stream up to its first complete event; another response completely. */
async function readFirstEvent({ body }: Response): Promise<string> {
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (/^event:[\s\S]*\n\n/m.test(text)) break
  }
  return text
}

function requestOf(
  method: string,
  { json, form, multipart, body, ...rest }: RequestOptions,
  token: string,
): RequestInit {
  const { authorization = `Bearer ${token}`, headers = {} } = rest
  const parts = new FormData()
  for (const [name, value] of Object.entries(multipart ?? {})) parts.set(name, value)
  return {
    method,
    headers: {
      ...(authorization && { authorization }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: multipart
      ? parts
      : form
        ? new URLSearchParams(form)
        : json === undefined
          ? (body ?? null)
          : JSON.stringify(json),
  }
}

/** The ids in a response of any form. */
function idsIn({ text }: Reply): string[] {
  try {
    const { data } = JSON.parse(text) as { data?: unknown }
    const entries = (Array.isArray(data) ? data : [data]) as ({ id?: unknown } | null | undefined)[]
    return entries.flatMap(entry => (typeof entry?.id === 'string' && entry.id !== '' ? [entry.id] : []))
  } catch {
    return []
  }
}
