import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { type EndpointName, endpoints, validate } from '../../src/contract/index.ts'
import { BatchedResponse } from '../../src/platform/batchedResponse.ts'
import { createMemoryBus } from '../../src/platform/bus/memory.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createContacts } from '../../src/platform/domain/contacts.ts'
import { isId } from '../../src/platform/domain/ids.ts'
import { notFound, ProblemError, problem } from '../../src/platform/domain/problem.ts'
import { createSessions } from '../../src/platform/domain/sessions.ts'
import { bearerOf } from '../../src/platform/middleware/bearer.ts'
import { bufferLines } from '../../src/platform/middleware/bufferLines.ts'
import { createLogger } from '../../src/platform/middleware/log.ts'
import { createMetrics } from '../../src/platform/middleware/metrics.ts'
import { problemResponse } from '../../src/platform/middleware/problems.ts'
import { createRateWindow } from '../../src/platform/middleware/rateWindow.ts'
import { commonHeaders } from '../../src/platform/middleware/requestContext.ts'
import { openLockedStore } from '../../src/platform/openStore.ts'
import type { BotScope } from '../../src/platform/store/store.ts'
import { withDeadline } from '../../src/platform/store/withDeadline.ts'

/**
 * The platform's retrieve, create and update as a Hono app: the same checks, log, metrics, rules and store, on Hono's
 * own fetch, context, middleware and Node adapter. What the platform's own pipeline saves is measured against it.
 */
interface Env {
  Variables: { requestId: string; scope: BotScope; body: unknown }
}

const [file = ''] = process.argv.slice(2)
const { store: opened } = await openLockedStore(file)
const logger = createLogger(bufferLines(text => void process.stderr.write(text)))
const metrics = createMetrics({ version: 'bench', openStreams: () => 0, queueDepth: () => opened.queueDepth() })
const clock = systemClock
const store = withDeadline(opened, { clock, onSettled: metrics.storeCall })
const bus = createMemoryBus()
const sessions = createSessions({ store, bus, clock, onError: error => logger.error(error) })
const contacts = createContacts({ store, bus, clock })
const quota = Number(process.env['NATTER_RATE_LIMIT'])
const window = createRateWindow({ quota, windowMs: 60_000, elapsed: clock.elapsed })

const observe: MiddlewareHandler<Env> = async (c, next) => {
  const start = clock.elapsed()
  const requestId = crypto.randomUUID()
  c.set('requestId', requestId)
  for (const [name, value] of Object.entries(commonHeaders(requestId))) c.header(name, value)
  await next()
  const ms = clock.elapsed() - start
  const { method, routePath: route } = c.req
  const { status } = c.res
  logger.info({ requestId, method, route, status, ms: Math.round(ms * 100) / 100 }, 'request')
  metrics.request(method, route, status, ms)
}

// Not Hono's `bodyLimit`: it asks for the body's web stream, even of a GET, which costs a sixth of the throughput.
const limitSize: MiddlewareHandler<Env> = (c, next) => {
  if (Number(c.req.header('content-length') ?? 0) > 32 * 1024) throw problem('body_too_large')
  return next()
}

const authenticate: MiddlewareHandler<Env, '/:botId/*'> = async (c, next) => {
  if (c.req.header('origin') !== undefined || c.req.header('sec-fetch-site') !== undefined)
    throw problem('organization_token_in_browser')
  const found = await sessions.organizationOf(bearerOf(c.req.raw.headers))
  if (!found) throw problem('unauthorized')
  const { remaining, resetMs } = await window.count(found.hash)
  c.header('ratelimit-policy', `"token";q=${quota};w=60`)
  c.header('ratelimit', `"token";r=${Math.max(0, remaining)};t=${Math.ceil(resetMs / 1000)}`)
  if (remaining < 0) throw problem('rate_limited')
  const botId = c.req.param('botId')
  const bot = isId(botId) ? await store.findBot(botId) : null
  if (bot?.organizationId !== found.organizationId) throw notFound()
  c.set('scope', { organizationId: bot.organizationId, botId: bot.id })
  await next()
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const parse =
  (name: EndpointName): MiddlewareHandler<Env> =>
  async (c, next) => {
    const { body } = endpoints[name] as { body?: { schema: Parameters<typeof validate>[0] } }
    const result = body && validate(body.schema, JSON.parse(utf8.decode(await c.req.arrayBuffer())))
    if (result && !('output' in result)) throw problem('invalid_request', { errors: result.errors })
    c.set('body', result?.output)
    await next()
  }

const app = new Hono<Env>().use(observe)
app.use('/v1/bots/:botId/*', limitSize, authenticate as MiddlewareHandler)
app.get('/v1/bots/:botId/contacts/:contactId', async c => {
  return c.json({ data: await contacts.retrieve({ ...c.get('scope'), contactId: c.req.param('contactId') }) })
})
app.put('/v1/bots/:botId/contacts', parse('createContact'), async c => {
  const body = c.get('body') as Parameters<typeof contacts.create>[1]
  const { value } = await contacts.create(c.get('scope'), body, c.req.header('idempotency-key'))
  return c.json({ data: value }, 201)
})
app.patch('/v1/bots/:botId/contacts/:contactId', parse('updateContact'), async c => {
  const body = c.get('body') as Parameters<typeof contacts.update>[1]
  await contacts.update({ ...c.get('scope'), contactId: c.req.param('contactId') }, body)
  return c.body(null, 204)
})
app.onError((error, c: Context<Env>) => {
  const answer = error instanceof ProblemError ? error : problem('internal')
  const { status, headers, body } = problemResponse(answer, c.get('requestId'))
  return c.body(body, { status: status as 400, headers })
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, serverOptions: { ServerResponse: BatchedResponse } }, info =>
  process.send?.((info as AddressInfo).port),
)
process.on('disconnect', () => process.exit(0))
