import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createId } from '../../src/platform/domain/ids.ts'
import { methodsOf } from '../../src/platform/store/queries/methods.ts'
import { createDatabase, openDatabase } from '../../src/platform/store/sqlite/connection.ts'
import { sqliteDialect } from '../../src/platform/store/sqlite/dialect.ts'

/**
 * The baseline of the benchmarks: a bare `node:http` server that looks up the token, runs the store's own SQL statements
 * (which write the same rows of the full-text index) and responds. It does no validation, rate limiting, logging or error handling.
 */
const db = openDatabase({ file: process.argv[2] ?? '', busyTimeoutMs: 5000, durable: true })
const { findOrganizationToken, findBot, findContact, createContact, updateContact } = methodsOf(
  createDatabase(db),
  sqliteDialect(),
)
const streams = new Set<ServerResponse>()

const server = createServer(async (request, response) => {
  const [, , , botId = '', resource, contactId = ''] = (request.url ?? '').split('/')
  if (resource === 'widget') return openStream(response)
  const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const found = await findOrganizationToken(createHash('sha256').update(token).digest('hex'))
  const bot = await findBot(botId)
  if (!found || bot?.organizationId !== found.organizationId) return respond(response, 404)
  const scope = { organizationId: found.organizationId, botId }
  if (request.method === 'GET') return respond(response, 200, { data: await findContact({ ...scope, contactId }) })
  const fields = JSON.parse(await readBody(request)) as { name: string; email: string; phone: string }
  const at = new Date().toISOString()
  if (request.method === 'PATCH') {
    await transaction(() => updateContact({ ...scope, contactId }, { ...fields, updatedAt: at }))
    return respond(response, 200)
  }
  const contact = { id: createId(Date.now()), ...fields, mid: '', wid: '', createdAt: at, updatedAt: at }
  await transaction(() => createContact(scope, { ...contact, emailKey: fields.email }))
  return respond(response, 201, { data: contact })
})

async function transaction<Result>(write: () => Promise<Result>): Promise<Result> {
  db.exec('BEGIN IMMEDIATE')
  // No other request comes in between: the statements are ready at once.
  const result = await write()
  db.exec('COMMIT')
  return result
}

function respond(response: ServerResponse, status: number, body?: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return text
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write(': \n\n')
  streams.add(response)
  response.on('close', () => streams.delete(response))
}
setInterval(() => {
  for (const response of streams) response.write(': \n\n')
}, 15_000)

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
