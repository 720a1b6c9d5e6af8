// A browser with tabs, and a platform, both in memory and with a clock that is moved by hand: for tests.
import type { BotFace, EndReason, Message, StreamEvent } from '../contract/index.ts'
import type { Clock } from './clock.ts'
import { type Core, createCore, type World } from './core.ts'
import type { WidgetEvents } from './events.ts'
import type { Page, PageSignal } from './page.ts'
import { createArea } from './storage/area.ts'
import { createMemoryTransact } from './storage/cache.ts'

export const contactToken = (digit: string) => `c:${digit.repeat(64)}`
export const ada = { id: 'ada', name: 'Ada Lovelace' }
export const grace = { id: 'grace', name: 'Grace Hopper' }

export const adaToken = contactToken('a')
export const graceToken = contactToken('b')

/** Ada and Grace with a message each, and a browser. */
export function createAcme() {
  const platform = createFakePlatform()
  platform.addContact(adaToken, ada)
  platform.addContact(graceToken, grace)
  const said = (token: string): Message[] => platform.sessions.get(token)?.messages ?? []
  platform.say(said(adaToken), { text: 'Dear Ada' })
  platform.say(said(graceToken), { text: 'Dear Grace' })
  return { platform, said, browser: createFakeBrowser(platform) }
}

/** The name of whom a login has identified, or the code that it rejected with. */
export const outcome = (login: Promise<{ contact: { name: string } | null }>): Promise<string | undefined> =>
  login.then(
    ({ contact }) => contact?.name,
    (error: Error & { code: string }) => error.code,
  )
export const shown = ({ core }: Tab): string[] => core.models.conversation.messages.value.map(({ text }) => text)
export const status = ({ core }: Tab): string => core.models.session.status.value
/** The `auth` events as `[state, contact, reason]`. */
export const authOf = ({ heard }: Tab) =>
  heard
    .filter(([name]) => name === 'auth')
    .map(([, detail]) => {
      const { state, contact, reason } = detail as WidgetEvents['auth']
      return [state, contact?.id ?? null, reason]
    })

/** Lets everything run that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve()
}

export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>
  /** Timers that are running. */
  readonly timers: number
}

export function createFakeClock(): FakeClock {
  let now = Date.UTC(2026, 0, 1)
  const timers = new Set<{ at: number; fn: () => void }>()
  return {
    now: () => now,
    random: () => 0.5,
    after(ms, fn) {
      const timer = { at: now + ms, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        await settle()
        const next = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.fn()
      }
      now = end
      await settle()
    },
    get timers() {
      return timers.size
    },
  }
}

type Send = (path: string, init: RequestInit) => Promise<Response>

interface FakeSession {
  contact: { id: string; name: string } | null
  ended: EndReason | null
  /** Contacts share theirs. */
  messages: Message[]
}

const codes: Record<EndReason, string> = {
  revoked: 'token_revoked',
  logged_out: 'token_revoked',
  expired: 'token_expired',
  contact_deleted: 'contact_deleted',
}

const face: BotFace = {
  id: 'bot',
  name: 'Acme',
  avatar: '',
  greeting: 'Hello',
  quickReplies: [],
  accent: '',
  locale: 'en',
  images: false,
}

/** The platform's endpoints for widgets, as far as the widget can tell them from the real ones. */
export function createFakePlatform() {
  const sessions = new Map<string, FakeSession>()
  const conversations = new Map<string, Message[]>()
  const streams = new Set<{ token: string; push(text: string): void; close(): void }>()
  const log: { method: string; path: string; token: string; body: unknown; keepalive: boolean }[] = []
  let made = 0

  const platform = {
    log,
    sessions,
    streams,
    /** Rejects every request, as without a network. */
    down: false,
    /** Answers instead of the endpoint, or lets it pass. */
    intercept: (_method: string, _path: string): Response | Promise<Response> | undefined => undefined,
    addContact(token: string, contact: { id: string; name: string }) {
      const messages = conversations.get(contact.id) ?? []
      conversations.set(contact.id, messages)
      sessions.set(token, { contact, ended: null, messages })
    },
    /** Stores a message in a conversation and tells its streams. */
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
      platform.emit(messages, { event: 'message', data: stored })
      return stored
    },
    emit(messages: Message[], { event, data }: StreamEvent) {
      const id = event === 'message' ? `id: ${data.seq}\n` : ''
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
      log.push({ method, path, token, body: body && JSON.parse(String(body)), keepalive })
      const answer = platform.intercept(method, path)
      return answer ?? respond(path, init)
    }) as unknown as typeof fetch,
  }

  const respond: Send = async (path, init) => {
    const { method = 'GET', signal } = init
    const headers = (init.headers ?? {}) as Record<string, string>
    if (path === '') return reply(200, face)
    if (path === '/sessions') {
      const token = `v:${(++made).toString(16).padStart(64, '0')}`
      sessions.set(token, { contact: null, ended: null, messages: [] })
      return reply(201, { token, createdAt: '', expiresAt: '' })
    }
    const token = headers['authorization']?.slice('Bearer '.length) ?? ''
    const session = sessions.get(token)
    if (!session) return problem(401, 'unauthorized')
    if (session.ended) return problem(401, codes[session.ended])
    const { messages } = session
    if (path === '/session' && method === 'GET') {
      return reply(200, { contact: session.contact, conversation: { lastSeq: messages.length, readSeq: 0, unread: 0 } })
    }
    if (path === '/session') {
      platform.end(token, 'logged_out')
      return reply(204)
    }
    if (path === '/read') return reply(204)
    if (path === '/events') {
      const stream = openStream(signal ?? undefined)
      streams.add({ ...stream, token })
      stream.push(':\n\n')
      for (const message of messages.slice(Number(headers['last-event-id']))) {
        stream.push(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
      }
      return stream.response
    }
    if (method === 'POST') {
      const { id, text } = JSON.parse(String(init.body)) as { id: string; text: string }
      const before = messages.find(message => message.id === id)
      return reply(before ? 200 : 201, before ?? platform.say(messages, { id, text, author: 'visitor' }))
    }
    const query = new URLSearchParams(path.split('?')[1])
    const end = Number(query.get('before') ?? messages.length + 1) - 1
    return reply(200, messages.slice(Math.max(0, end - Number(query.get('limit'))), end))
  }
  return platform
}
export type FakePlatform = ReturnType<typeof createFakePlatform>

export const reply = (status: number, data?: unknown, headers: Record<string, string> = {}): Response =>
  fakeResponse(status, data === undefined ? '' : JSON.stringify({ data }), headers)
export const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  fakeResponse(status, JSON.stringify({ code }), headers)

/** Only what the transport reads of it; happy-dom's own needs real time. */
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

function openStream(signal?: AbortSignal) {
  const chunks: Uint8Array[] = []
  let closed = false
  let wanted: (() => void) | undefined
  const wake = () => wanted?.()
  const close = () => {
    closed = true
    wake()
  }
  signal?.addEventListener('abort', close)
  const reader = {
    async read() {
      while (!chunks.length && !closed) {
        await new Promise<void>(resolve => {
          wanted = resolve
        })
      }
      return chunks.length ? { done: false, value: chunks.shift() } : { done: true }
    },
    async cancel() {},
  }
  return {
    response: fakeResponse(200, '', { 'content-type': 'text/event-stream' }, { getReader: () => reader }),
    push(text: string) {
      chunks.push(new TextEncoder().encode(text))
      wake()
    },
    close,
  }
}

export interface Tab {
  core: Core
  /** What the page has heard, as `[event, detail]`. */
  heard: [name: string, detail: unknown][]
  fire(signal: PageSignal): void
  setOnline(online: boolean): void
  /** Listeners on the page. */
  readonly listeners: number
}

/** A browser whose tabs share storage. */
export function createFakeBrowser(platform: FakePlatform, clock: FakeClock = createFakeClock()) {
  const local = new Map<string, string>()
  const records = new Map<unknown, unknown>()
  const tabs: { fire(signal: PageSignal): void }[] = []
  let locked: Promise<unknown> = Promise.resolve()
  let made = 0

  function openTab({ start = true, blocked = false, locks = true, fetch = platform.fetch } = {}): Tab {
    const listeners: [PageSignal, () => void][] = []
    let online = true
    const fire = (signal: PageSignal) => {
      for (const [name, fn] of [...listeners]) if (name === signal) fn()
    }
    const self = { fire }
    tabs.push(self)
    const change = () => {
      for (const tab of tabs) if (tab !== self) queueMicrotask(() => tab.fire('storage'))
    }
    const storage = {
      getItem: (key: string) => local.get(key) ?? null,
      setItem(key: string, value: string) {
        local.set(key, value)
        change()
      },
      removeItem(key: string) {
        local.delete(key)
        change()
      },
    } as unknown as Storage
    const page: Page = {
      online: () => online,
      visible: () => true,
      on(signal, fn) {
        const listener: [PageSignal, () => void] = [signal, fn]
        listeners.push(listener)
        return () => listeners.splice(listeners.indexOf(listener), 1)
      },
      alone(_, __, fn) {
        if (!locks) return fn()
        const result = locked.then(fn)
        locked = result.catch(() => {})
        return result
      },
    }
    const world: World = {
      clock,
      page,
      area: createArea(() => {
        if (blocked) throw new DOMException('Access is denied', 'SecurityError')
        return storage
      }),
      transact: blocked ? () => Promise.reject(new Error('blocked')) : createMemoryTransact(records),
      fetch,
      storageBlocked: blocked,
      createMessageId: () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
    }
    const heard: Tab['heard'] = []
    const emit = <Name extends keyof WidgetEvents>(event: Name, detail: WidgetEvents[Name]) => {
      heard.push([event, detail])
    }
    const settings = { botId: 'bot', baseUrl: 'https://chat.example', strings: undefined, accent: undefined, emit }
    const core = createCore(settings, world)
    if (start) core.start()
    return {
      core,
      heard,
      fire,
      setOnline(next) {
        online = next
        fire(next ? 'online' : 'offline')
      },
      get listeners() {
        return listeners.length
      },
    }
  }
  return { clock, local, records, openTab, token: () => local.get('natter:bot:token') ?? null }
}
