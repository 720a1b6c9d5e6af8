// An in-memory platform with the endpoints for widgets. It implements what the widget depends on.
import type { BotProfile, EndReason, Message, MessageChange, MessageCreate, StreamEvent } from '../../contract/index.ts'
import { createFakeFiles } from './fakeFiles.ts'

type Send = (path: string, init: RequestInit) => Promise<Response>

interface FakeSession {
  contact: { id: string; name: string } | null
  ended: EndReason | null
  /** The address that an anonymous visitor has left. */
  email?: unknown
  /** Shared by all sessions of a contact. */
  messages: Message[]
}

const codes: Record<EndReason, string> = {
  revoked: 'token_revoked',
  logged_out: 'token_revoked',
  expired: 'token_expired',
  contact_deleted: 'contact_deleted',
}

/**
 * Returns hex digits that differ at the beginning, as those of real tokens: the widget remembers a prefix of ended tokens.
 */
export const tokenHex = (index: number): string => index.toString(16).padStart(7, '0').padEnd(64, '0')

export const botProfile: BotProfile = {
  id: 'bot',
  name: 'Acme',
  subtitle: '',
  avatar: '',
  greeting: 'Hello',
  quickReplies: [],
  accent: '',
  locale: 'en',
  images: false,
  handover: false,
  agentPauseSeconds: 1800,
  ratings: false,
  attachments: false,
  eraseByVisitor: false,
  email: false,
  visitors: 'everyone',
  openings: [],
}

export function createFakePlatform() {
  const sessions = new Map<string, FakeSession>()
  const conversations = new Map<string, Message[]>()
  const read = new Map<Message[], number>()
  /** The changes of each conversation. The revision is their number. */
  const changes = new Map<Message[], MessageChange[]>()
  const files = createFakeFiles()
  const changesOf = (messages: Message[]) => changes.get(messages) ?? []
  /** The replies that are being streamed. */
  const replies = new Map<Message[], Extract<StreamEvent, { event: 'message.delta' }>['data']>()
  const streams = new Set<{ token: string; push(text: string): void; close(): void }>()
  const log: { method: string; path: string; token: string; body: unknown; keepalive: boolean }[] = []
  let made = 0

  const platform = {
    log,
    sessions,
    streams,
    /** The files of all conversations. */
    files,
    /** While set, every request is rejected as if there were no network. */
    down: false,
    /** Returns a response instead of the endpoint's, or `undefined` to use that. */
    intercept: (_method: string, _path: string, _init: RequestInit): Response | Promise<Response> | undefined =>
      undefined,
    addContact(token: string, contact: { id: string; name: string }) {
      const messages = conversations.get(contact.id) ?? []
      conversations.set(contact.id, messages)
      sessions.set(token, { contact, ended: null, messages })
    },
    /** Stores a message in a conversation and sends it to the streams. */
    say(messages: Message[], message: Partial<Message>): Message {
      const seq = messages.length + 1
      const stored: Message = {
        id: `m${seq}`,
        seq,
        author: 'bot',
        text: `Message ${seq}`,
        format: 'plain',
        createdAt: '2026-01-01T00:00:00.000Z',
        ...message,
      }
      messages.push(stored)
      replies.delete(messages)
      platform.emit(messages, { event: 'message', data: stored })
      return stored
    },
    /** Changes the stored message with that `seq` and tells the streams. */
    change(messages: Message[], seq: number, given: Partial<Message>): void {
      const message = { ...(messages[seq - 1] as Message), ...given }
      messages[seq - 1] = message
      const change = { revision: changesOf(messages).length + 1, message }
      changes.set(messages, [...changesOf(messages), change])
      platform.emit(messages, { event: 'message.changed', data: change })
    },
    /** Removes the stored message with that `seq`, as the organization does it. */
    remove(messages: Message[], seq: number): void {
      platform.change(messages, seq, { text: '', attachments: undefined, removedAt: '2026-01-02T00:00:00.000Z' })
    },
    emit(messages: Message[], { event, data }: StreamEvent) {
      const id = event === 'message' ? `id: ${data.seq}\n` : ''
      if (event === 'message.delta')
        replies.set(messages, { ...data, offset: 0, text: (replies.get(messages)?.text ?? '') + data.text })
      if (event === 'message.aborted') replies.delete(messages)
      for (const stream of streams) {
        if (sessions.get(stream.token)?.messages === messages) {
          stream.push(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        }
      }
    },
    end(token: string, reason: EndReason) {
      const session = sessions.get(token)
      if (!session || session.ended) return
      session.ended = reason
      for (const stream of streams) {
        if (stream.token !== token) continue
        stream.push(`event: session.ended\ndata: ${JSON.stringify({ reason })}\n\n`)
        stream.close()
      }
    },
    fetch: (async (url: string, init: RequestInit = {}) => {
      const path = url.slice(url.indexOf('/widget') + '/widget'.length)
      const { method = 'GET', body, keepalive = false } = init
      const token = ((init.headers as Record<string, string>)?.['authorization'] ?? '').slice('Bearer '.length)
      if (platform.down) throw new TypeError('Failed to fetch')
      log.push({ method, path, token, body: parse(body), keepalive })
      return platform.intercept(method, path, init) ?? respond(path, init)
    }) as unknown as typeof fetch,
  }

  const respond: Send = async (path, init) => {
    const { method = 'GET', signal } = init
    const headers = (init.headers ?? {}) as Record<string, string>
    if (path === '') return reply(200, botProfile)
    if (path === '/sessions') {
      const token = `v:${tokenHex(++made)}`
      sessions.set(token, { contact: null, ended: null, messages: [] })
      return reply(201, { token, createdAt: '', expiresAt: '' })
    }
    const token = headers['authorization']?.slice('Bearer '.length) ?? ''
    const session = sessions.get(token)
    if (!session) return problem(401, 'unauthorized')
    if (session.ended) return problem(401, codes[session.ended])
    const { messages } = session
    if (path.startsWith('/attachments/')) return answerFile(token, path, init)
    const body = (parse(init.body) ?? {}) as Record<string, unknown>
    const nonce = String(body['nonce'])
    if (path === '/session/retrieve') {
      const readSeq = read.get(messages) ?? 0
      const unread = messages.filter(m => m.seq > readSeq && m.author !== 'visitor' && !m.event && !m.removedAt).length
      const revision = changesOf(messages).length
      const conversation = {
        ...{ lastSeq: messages.length, readSeq, unread, revision },
        ...(session.email !== undefined && { hasEmail: true }),
      }
      return reply(200, { contact: session.contact, conversation }, { nonce })
    }
    if (path === '/session') {
      platform.end(token, 'logged_out')
      return reply(204)
    }
    if (path === '/session/email') {
      session.email = body['email']
      return reply(204)
    }
    if (path === '/read') {
      const seq = Number(body['seq'])
      read.set(messages, Math.max(seq, read.get(messages) ?? 0))
      platform.emit(messages, { event: 'read', data: { seq } })
      return reply(204)
    }
    if (path === '/stop') return reply(204)
    if (path === '/handover') {
      const last = messages.findLast(({ author, event }) => event || author === 'agent')
      if (last?.author !== 'agent' && last?.event !== 'handover_requested')
        platform.say(messages, { author: 'system', text: '', event: 'handover_requested' })
      return reply(204)
    }
    if (path === '/rating') {
      const { id, rating } = body as { id: string; rating: 'up' | 'down' | null }
      const answer = messages.find(message => message.id === id && message.author !== 'visitor' && !message.removedAt)
      if (!answer) return problem(404, 'not_found')
      platform.change(messages, answer.seq, { rating: rating ?? undefined })
      return reply(200, changesOf(messages).at(-1))
    }
    if (path === '/events/stream') {
      const stream = openStream(signal ?? undefined)
      const open = { ...stream, token }
      streams.add(open)
      signal?.addEventListener('abort', () => streams.delete(open))
      stream.push(openedEvent(init))
      stream.push(`event: read\ndata: ${JSON.stringify({ seq: read.get(messages) ?? 0 })}\n\n`)
      const streamed = replies.get(messages)
      if (streamed) stream.push(`event: message.delta\ndata: ${JSON.stringify(streamed)}\n\n`)
      for (const message of messages.slice(Number(body['after']))) {
        stream.push(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
      }
      for (const change of changesOf(messages).slice(Number(body['revision']))) {
        stream.push(`event: message.changed\ndata: ${JSON.stringify(change)}\n\n`)
      }
      return stream.response
    }
    if (path === '/messages/list') {
      const end = Number(body['before'] ?? messages.length + 1) - 1
      const revision = changesOf(messages).length
      return reply(200, messages.slice(Math.max(0, end - Number(body['limit'])), end), { nonce, revision })
    }
    if (path === '/messages' && method === 'POST') {
      const { id, text, attachments } = body as unknown as MessageCreate & { text: string }
      const before = messages.find(message => message.id === id)
      if (before) return reply(200, before)
      const taken = attachments && files.take(token, attachments)
      if (attachments && !taken) return problem(400, 'invalid_request')
      return reply(201, platform.say(messages, { id, text, author: 'visitor', ...(taken && { attachments: taken }) }))
    }
    return problem(404, 'not_found')
  }
  async function answerFile(token: string, path: string, { method, body }: RequestInit): Promise<Response> {
    const [, , id = ''] = path.split('/')
    if (method === 'DELETE') return files.remove(token, id) ? reply(204) : problem(404, 'not_found')
    const file = files.stored.get(id)
    if (method === 'POST') return file ? fileResponse(file.bytes, String(body)) : problem(404, 'not_found')
    const result = await files.put(token, id, body as Blob)
    return 'code' in result ? problem(result.status, result.code) : reply(201, result)
  }
  return platform
}
export type FakePlatform = ReturnType<typeof createFakePlatform>

/** A successful response. `envelope` contains properties next to `data`. */
export const reply = (status: number, data?: unknown, envelope: Record<string, unknown> = {}): Response =>
  fakeResponse(status, data === undefined ? '' : JSON.stringify({ data, ...envelope }), {})
/** An error response of the platform. */
export const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  fakeResponse(status, JSON.stringify({ code }), { 'content-type': 'application/problem+json', ...headers })
/** An HTML page of a proxy between the widget and the platform. */
export const htmlPage = (status: number): Response =>
  fakeResponse(status, '<!doctype html><title>Sign in to the network</title>', { 'content-type': 'text/html' })

const parse = (body: RequestInit['body']): unknown =>
  body instanceof Blob ? `${body.size} bytes` : body && JSON.parse(String(body))

function fileResponse(bytes: Uint8Array, request: string): Response {
  const { nonce } = JSON.parse(request) as { nonce: string }
  const { response, push, close } = openStream(undefined, { 'natter-nonce': nonce })
  push(bytes)
  close()
  return response
}

/** The first event of a stream. It contains the nonce of the request. */
export const openedEvent = ({ body }: RequestInit): string => {
  const { nonce } = JSON.parse(String(body)) as { nonce: string }
  return `event: opened\ndata: ${JSON.stringify({ nonce })}\n\n`
}
/** A stream that never delivers data. */
export const silentStream = (): Response => openStream().response

/** A stream that delivers a text and breaks. */
export function shortStream(text: string): Response {
  const { response, push, close } = openStream()
  push(text)
  close()
  return response
}

/** A response with the properties that the widget uses. The Response of happy-dom needs real time. */
function fakeResponse(status: number, text: string, headers: Record<string, string>, body?: unknown): Response {
  return {
    ok: status < 300,
    status,
    headers: new Map(Object.entries(headers)),
    text: async () => text,
    json: async () => JSON.parse(text),
    body,
  } as unknown as Response
}

function openStream(signal?: AbortSignal, headers: Record<string, string> = { 'content-type': 'text/event-stream' }) {
  const chunks: Uint8Array[] = []
  let closed = false
  let resumeRead: (() => void) | undefined
  const onChange = () => resumeRead?.()
  const close = () => {
    closed = true
    onChange()
  }
  signal?.addEventListener('abort', close)
  const reader = {
    async read() {
      while (!chunks.length && !closed) {
        await new Promise<void>(resolve => {
          resumeRead = resolve
        })
      }
      return chunks.length ? { done: false, value: chunks.shift() } : { done: true }
    },
    async cancel() {},
  }
  return {
    response: fakeResponse(200, '', headers, { getReader: () => reader }),
    push(data: string | Uint8Array) {
      chunks.push(typeof data === 'string' ? new TextEncoder().encode(data) : data)
      onChange()
    },
    close,
  }
}
