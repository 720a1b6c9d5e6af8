import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createId } from '../../src/platform/domain/ids.ts'
import { openDatabase } from '../../src/platform/store/sqlite/connection.ts'
import { contactReads, contactWrites } from '../../src/platform/store/sqlite/contacts.ts'
import { createMaintenance } from '../../src/platform/store/sqlite/maintenance.ts'
import { organizationReads } from '../../src/platform/store/sqlite/organizations.ts'

/**
 * What a platform's work costs without a platform: a bare `node:http` server that looks up the token, runs the very
 * statements of the store, those that keep the index up included, and answers. It checks nothing, limits nothing, logs
 * nothing, and speaks no error.
 */
const db = openDatabase({ file: process.argv[2] ?? '', busyTimeoutMs: 5000, durable: true })
const { findOrganizationToken, findBot } = organizationReads(db)
const { findContact } = contactReads(db)
const { createContact, updateContact } = contactWrites(db)
const maintenance = createMaintenance(db, true)
const streams = new Set<ServerResponse>()

const server = createServer(async (request, response) => {
  const [, , , botId = '', resource, contactId = ''] = (request.url ?? '').split('/')
  if (resource === 'widget') return stream(response)
  const token = request.headers.authorization?.slice('Bearer '.length) ?? ''
  const found = findOrganizationToken(createHash('sha256').update(token).digest('hex'))
  const bot = findBot(botId)
  if (!found || bot?.organizationId !== found.organizationId) return answer(response, 404)
  const scope = { organizationId: found.organizationId, botId }
  if (request.method === 'GET') return answer(response, 200, { data: findContact({ ...scope, contactId }) })
  const fields = JSON.parse(await bodyOf(request)) as { name: string; email: string; phone: string }
  const at = new Date().toISOString()
  if (request.method === 'PATCH') {
    transaction(() => updateContact({ ...scope, contactId }, { ...fields, updatedAt: at }))
    return answer(response, 200)
  }
  const contact = { id: createId(Date.now()), ...fields, mid: '', wid: '', createdAt: at, updatedAt: at }
  return answer(response, 201, {
    data: transaction(() => createContact(scope, { ...contact, emailKey: fields.email })),
  })
})

function transaction<Result>(write: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  const result = write()
  db.exec('COMMIT')
  setImmediate(keepUp)
  return result
}

let rest: ReturnType<typeof setTimeout> | undefined

/** As the platform's writer does it: at rest, or between two writes where too much is left. */
function keepUp(): void {
  if (maintenance.hasBacklog()) maintenance.step()
  clearTimeout(rest)
  rest = setTimeout(keepUpAtRest, 20)
}

function keepUpAtRest(): void {
  if (maintenance.step()) rest = setTimeout(keepUpAtRest, 0)
}

function answer(response: ServerResponse, status: number, body?: unknown): void {
  const text = body === undefined ? '' : JSON.stringify(body)
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return text
}

function stream(response: ServerResponse): void {
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
