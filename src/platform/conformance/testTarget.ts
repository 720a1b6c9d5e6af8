import { dataOf, expectSuccess, type Fields, type Reply } from './reply.ts'

export interface RequestOptions {
  json?: unknown
  form?: Record<string, string>
  multipart?: Record<string, string>
  /** A body as it is; its type goes into `headers`. */
  body?: string
  /** The whole of the Authorization header; default: the organization's token as Bearer, `''`: none. */
  authorization?: string
  headers?: Record<string, string>
}

export interface Contact extends Fields {
  id: string
  name: string
  email: string
}

/** Where the rules are tried: a bot of a deployment, and the means to ask about it and to leave it as it was. */
export interface TestTarget {
  botId: string
  token: string
  /** Asks for a path below the bot's. */
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Asks for an event stream; its answer's text ends with the first event. */
  openStream(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Asks for any path of the deployment. */
  requestAnywhere(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** A text that no contact holds yet; lower-case letters and digits. */
  fresh(): string
  /** An email that no contact has yet, by whose beginning the suite knows it again. */
  freshEmail(): string
  /** A contact of the rule's own. */
  newContact(fields?: Record<string, string>): Promise<Contact>
  /** A token for a contact. */
  newToken(contactId: string): Promise<string>
  /** Deletes every contact that has been made since the last time. */
  cleanUp(): Promise<void>
  /** Deletes what a request has made whose answer never came; rejects where anything is left. */
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
/** Begins the email of every contact that the suite makes. */
export const emailPrefix = 'natter-conformance-'
const deletionsAtOnce = 8

interface SendOptions {
  /** Ends the waiting between two requests. */
  abortSignal?: AbortSignal
  /** What is read of the answer; default: all. */
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
    const asked = `${method} ${path.replace(bot, '')}`
    for (let time = 1; ; time++) {
      // Only between requests: what one that is cut off still makes, nobody would hear of in time to delete it.
      abortSignal?.throwIfAborted()
      const init = requestOf(method, options, token)
      const limit = AbortSignal.timeout(answerWithinMs)
      const response = await fetch(new Request(baseUrl + path, { ...init, redirect: 'manual', signal: limit }))
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      const text = await read(response)
      if (response.status === 429 && time <= retryLimits.times && seconds <= retryLimits.seconds) await pause(seconds)
      else return { asked, status: response.status, headers: response.headers, text }
    }
  }

  const requestAnywhere: TestTarget['requestAnywhere'] = async (method, path, options = {}) => {
    const reply = await send(method, path, options, { abortSignal: signal })
    // What should have been refused may have been done.
    if (/\/contacts(?:\?|$)/.test(path) && method !== 'POST' && reply.status < 300)
      for (const id of idsIn(reply)) createdIds.add(id)
    return reply
  }
  const request: TestTarget['request'] = (method, path, options) => requestAnywhere(method, bot + path, options)

  const fresh = (): string => `x${run}${(count++).toString(36).padStart(4, '0')}`
  const freshEmail = (): string => `${emailPrefix}${fresh()}@example.com`

  // Not with the caller's signal: whoever interrupts wants the place tidy all the same.
  const remove = (id: string): Promise<Reply> => send('DELETE', `${bot}/contacts/${encodeURIComponent(id)}`, {})
  const removeAll = async (ids: Iterable<string>): Promise<void> => {
    const waiting = [...ids]
    const worker = async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const { status } = await remove(id)
        if (status < 300 || status === 404) createdIds.delete(id)
      }
    }
    await Promise.all(Array.from({ length: deletionsAtOnce }, worker))
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
      expectSuccess(reply)
      return dataOf(reply) as Contact
    },
    async newToken(id) {
      const reply = await request('PUT', '/auth/contacts', { json: { id } })
      expectSuccess(reply)
      return String(dataOf(reply)['token'])
    },
    cleanUp: () => removeAll(createdIds),
    async sweep() {
      await removeAll(createdIds)
      // This run's own only: another one may be under way.
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

/** What a stream brings until its first event is whole, comments included; of any other answer all. */
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
  { json, form, multipart, body, ...asking }: RequestOptions,
  token: string,
): RequestInit {
  const { authorization = `Bearer ${token}`, headers = {} } = asking
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

/** Ids of what a request has made or found, whatever the answer looks like. */
function idsIn({ text }: Reply): string[] {
  try {
    const { data } = JSON.parse(text) as { data?: unknown }
    const entries = (Array.isArray(data) ? data : [data]) as ({ id?: unknown } | null | undefined)[]
    return entries.flatMap(entry => (typeof entry?.id === 'string' && entry.id !== '' ? [entry.id] : []))
  } catch {
    return []
  }
}
