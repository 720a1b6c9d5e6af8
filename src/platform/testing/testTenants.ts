import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { onTestFinished, TestRunner } from 'vitest'
import { type DeskEventName, deskEventSchemas } from '../../contract/desk.ts'
import type { Message } from '../../contract/index.ts'
import type { Bus } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory.ts'
import type { Clock } from '../clock.ts'
import { createBotRow } from '../domain/bots.ts'
import { createOrganizationRow, issueOrganizationToken } from '../domain/organizations.ts'
import { type HttpServer, type ServerOptions, startServer } from '../http/server.ts'
import { createPlatform, type Platform, type PlatformOptions } from '../platform.ts'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import type { Bot, Store } from '../store/store.ts'
import { connectionFrom } from './connectionFrom.ts'
import { createInlineWorker } from './inlineWorker.ts'
import { openapiValidator, withOpenapiChecks } from './withOpenapiChecks.ts'

export interface ManualClock extends Clock {
  advance(ms: number): void
  /** Changes the time of day without affecting timers. */
  jump(ms: number): void
}

/** A clock that a test advances. */
export function createManualClock(start = Date.UTC(2030, 0, 15, 12)): ManualClock {
  let now = start
  let jumped = 0
  const due = new Set<{ at: number; run: () => void }>()
  return {
    now: () => now,
    elapsed: () => now - start - jumped,
    setTimeout(run, ms) {
      const timer = { at: now + ms, run }
      due.add(timer)
      return () => due.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (!next) break
        due.delete(next)
        now = next.at
        next.run()
      }
      now = end
    },
    jump(ms) {
      now += ms
      jumped += ms
      for (const timer of due) timer.at += ms
    },
  }
}

/** Advances a clock step by step until a promise settles. Real time passes between the steps. */
export async function advanceUntil<Result>(
  clock: { advance(ms: number): void },
  ms: number,
  awaited: Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => clock.advance(ms), 2)
  try {
    return await awaited
  } finally {
    clearInterval(timer)
  }
}

export interface CallOptions {
  token?: string
  json?: unknown
  form?: Record<string, string>
  body?: BodyInit
  headers?: Record<string, string>
  /** The client's address; by default it is unknown. Only with `json` or without a body. */
  address?: string
}

/** A bot, and functions that call the platform for it. */
export interface TestBot {
  bot: Bot
  organizationToken: string
  /** Calls a path of the bot's API, with the organization token unless `token` is given (`''`: without credentials). */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  createContact(fields?: { name?: string; email?: string }): Promise<{ id: string; email: string; name: string }>
  contactToken(contactId: string): Promise<string>
  visitorToken(): Promise<string>
  send(token: string, text: string, id?: string): Promise<Response>
  /** The messages that the session's widget shows. */
  messages(token: string): Promise<Message[]>
  /** Opens the session's stream. `query` may say from which message on. */
  events(token: string, query?: string): Promise<EventReader>
}

/** Two organizations with two bots each, on a real store. */
export interface TestTenants {
  platform: Platform
  store: Store
  clock: ManualClock
  /** All log lines. */
  lines: string[]
  ours: TestBot
  sibling: TestBot
  otherOrganization: TestBot
  otherOrganizationSibling: TestBot
  /** Starts another platform on the store, as another node. */
  addNode(options?: Partial<PlatformOptions>): Platform
  /** Serves the platform on a port. */
  serve(options?: Partial<ServerOptions>): Promise<HttpServer>
  /** Also closes its servers and the other nodes. */
  close(): Promise<void>
}

export const shopOrigin = 'https://shop.example'
/** The public address of the platform. */
export const deskOrigin = 'https://natter.test'

/** A bus that delivers nothing: events of another process that were lost. */
export const silentBus = (): Bus => ({ ...createMemoryBus(), publish() {} })

/** A bus that counts its listeners: each open stream has two. */
export function countingBus(): { bus: Bus; listening: () => number } {
  const bus = createMemoryBus()
  let count = 0
  const subscribe: Bus['subscribe'] = (...args) => {
    const undo = bus.subscribe(...args)
    count++
    return () => {
      undo()
      count--
    }
  }
  return { bus: { ...bus, subscribe }, listening: () => count }
}

/**
 * Starts a platform with the standard tenants of the threat model. Called in a test or in `beforeEach`, it is closed when
 * the test has finished; elsewhere, the caller closes it.
 */
export async function createTestTenants(
  options: Partial<PlatformOptions> & { file?: string; clock?: ManualClock } = {},
): Promise<TestTenants> {
  const { file = ':memory:' } = options
  const store = options.store ?? (await createSqliteStore({ file, createWorker: createInlineWorker }))
  const clock = options.clock ?? createManualClock()
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const started: { close(): Promise<unknown> }[] = [store]
  const addNode = (more: Partial<PlatformOptions> = {}): Platform => {
    const node = withOpenapiChecks(createPlatform({ store, clock, rateLimit: 0, log, baseUrl: deskOrigin, ...more }))
    started.push(node)
    return node
  }
  const platform = addNode(options)
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    for (const part of started.reverse()) await part.close()
  }
  const close = () => {
    closing ??= closeAll()
    return closing
  }
  if (TestRunner.getCurrentTest()) onTestFinished(close)

  const organization = async (name: string): Promise<[TestBot, TestBot]> => {
    const row = createOrganizationRow(name, clock)
    await store.createOrganization(row)
    const organizationToken = await issueOrganizationToken(store, row.id, { clock })
    const testBot = async (): Promise<TestBot> => {
      const bot = createBotRow({ organizationId: row.id, name, origins: [shopOrigin], attachments: true }, clock)
      await store.createBot(bot)
      return createTestBot(platform, bot, organizationToken)
    }
    return [await testBot(), await testBot()]
  }
  const [ours, sibling] = await organization('Acme')
  const [otherOrganization, otherOrganizationSibling] = await organization('Other')
  return {
    ...{ platform, store, clock, lines, ours, sibling, otherOrganization, otherOrganizationSibling, addNode, close },
    async serve(settings = {}) {
      const server = await startServer(platform, { host: '127.0.0.1', port: 0, ...settings })
      started.push(server)
      return server
    },
  }
}

export function createTestBot(platform: Platform, bot: Bot, organizationToken: string): TestBot {
  const testBot: TestBot = {
    bot,
    organizationToken,
    call: (method, path, { token = organizationToken, json, form, body, headers = {}, address } = {}) =>
      platform.fetch(
        new Request(`http://natter.test/v1/bots/${bot.id}${path}`, {
          method,
          headers: {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(json !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          body: body ?? (form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json)),
        }),
        address === undefined ? {} : connectionFrom(address, json === undefined ? '' : JSON.stringify(json)),
      ),
    createContact: ({ name = 'Ada Lovelace', email = `${randomUUID()}@example.com` } = {}) =>
      dataOf(testBot.call('PUT', '/contacts', { json: { name, email } })),
    async contactToken(id) {
      return (await dataOf<{ token: string }>(testBot.call('PUT', '/auth/contacts', { json: { id } }))).token
    },
    async visitorToken() {
      return (await dataOf<{ token: string }>(testBot.call('POST', '/widget/sessions', { token: '' }))).token
    },
    send: (token, text, id = randomUUID()) => testBot.call('POST', '/widget/messages', { token, json: { id, text } }),
    messages: token => dataOf(testBot.call('GET', '/widget/messages', { token })),
    events: async (token, query = '') => readEvents(await testBot.call('GET', `/widget/events${query}`, { token })),
  }
  return testBot
}

/** The `data` of a successful response. Throws with the whole response otherwise. */
export async function dataOf<Data = unknown>(answer: Response | Promise<Response>): Promise<Data> {
  const response = await answer
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return (JSON.parse(text) as { data: Data }).data
}

/** Status and error code of a response. */
export async function outcomeOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer
  const text = await response.text()
  const code = text.startsWith('{') ? (JSON.parse(text) as { code?: string }).code : undefined
  return code === undefined ? String(response.status) : `${response.status} ${code}`
}

/** One event of a stream. Comments have the name `comment`. */
export interface ReceivedEvent {
  event: string
  id?: string
  data: Record<string, unknown>
}

export interface EventReader {
  next(): Promise<ReceivedEvent | undefined>
  /** The next event with that name. Skips others. */
  nextOf(name: string): Promise<ReceivedEvent>
  cancel(): Promise<void>
}

/** Reads a stream of the widget event by event. */
export const readEvents = (response: Response): EventReader => readStream(response, checkEvent)

/** Reads a stream of the desk event by event. */
export const readDeskEvents = (response: Response): EventReader => readStream(response, checkDeskEvent)

function readStream(response: Response, check: (received: ReceivedEvent) => void): EventReader {
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  let buffered = ''
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const end = buffered.indexOf('\n\n')
      if (end >= 0) {
        const block = buffered.slice(0, end)
        buffered = buffered.slice(end + 2)
        const received = parseBlock(block)
        if (received.event !== 'comment' && received.event !== 'retry') check(received)
        return received
      }
      const { done, value } = await reader.read()
      if (done) return undefined
      buffered += value
    }
  }
  return {
    next,
    async nextOf(name) {
      for (;;) {
        const event = await next()
        if (!event) throw new Error(`The stream has ended without ${name}`)
        if (event.event === name) return event
      }
    },
    cancel: () => reader.cancel(),
  }
}

/** Checks an event against the OpenAPI document. */
function checkEvent({ event, data }: ReceivedEvent): void {
  const breaches = openapiValidator().eventViolations(event, data)
  if (breaches.length > 0) throw new Error(breaches.join('\n'))
}

function checkDeskEvent({ event, data }: ReceivedEvent): void {
  const schema = deskEventSchemas[event as DeskEventName]
  if (!isDeepStrictEqual(v.parse(schema, data), data)) throw new Error(`The event ${event} has other fields`)
}

function parseBlock(block: string): ReceivedEvent {
  const fields = new Map(block.split('\n').map(line => line.split(/: (.*)/s) as [string, string]))
  if (fields.has('retry')) return { event: 'retry', data: { ms: Number(fields.get('retry')) } }
  const id = fields.get('id')
  return {
    event: fields.get('event') ?? 'comment',
    ...(id !== undefined && { id }),
    data: JSON.parse(fields.get('data') ?? '{}') as Record<string, unknown>,
  }
}
