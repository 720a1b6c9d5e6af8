import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { deskViews } from '../../src/contract/deskLimits.ts'
import { hashToken } from '../../src/platform/domain/tokens.ts'
import { createApi } from './api.ts'
import { removeDatabase } from './dataset.ts'
import { count, median, milliseconds, percentile } from './figures.ts'
import { createTenant, folder, natter, startNatter, startStreamClients, usageOf } from './processes.ts'
import type { Goal, Report } from './report.ts'
import { monotonic } from './streamClients.ts'

const members = 50
const conversations = 500
const closedConversations = 100_000
const messages = 200
const idleSeconds = 20

/** Measures the desk of one node: how soon the pages of a team show a message, and the views of very many conversations. */
export async function benchDesk(): Promise<Report> {
  const database = join(folder, 'desk.db')
  removeDatabase(database)
  const { organizationId, botId, token } = createTenant(database)
  natter('bot', 'update', botId, '--database', database, '--responder', 'none')
  const cookies = fillDatabase(database, { organizationId, botId })
  const server = await startNatter(database)
  const clients = startStreamClients()
  try {
    const api = createApi(server, botId, token)
    const visitors = await api.issueTokens(conversations)
    for (const visitor of visitors) await api.send(visitor)
    const views = await measureViews(server.port, cookies)
    const started = usageOf(server)
    await sleep(idleSeconds * 1000)
    const alone = usageOf(server)
    await clients.open(server.port, cookies.map(streamRequest))
    await sleep(5000)
    const opened = usageOf(server)
    await sleep(idleSeconds * 1000)
    const idle = usageOf(server)
    const latencies: number[] = []
    for (let n = 0; n < messages; n++) {
      const text = `Message number ${n}.`
      await clients.watchFor(text)
      const sentAt = monotonic()
      await api.send(visitors[n % conversations] ?? '', text)
      await sleep(400)
      const { at } = await clients.counts()
      latencies.push(...at.map(time => (time ? time - sentAt : Number.POSITIVE_INFINITY)))
    }
    const busy = usageOf(server)
    const cpu = (from: typeof idle, to: typeof idle) => to.cpuSeconds - from.cpuSeconds
    const delivered = percentile(latencies, 0.95)
    return {
      subject: 'desk',
      goals: [
        {
          what: `a message reaches the desks of ${members} members, p95`,
          goal: '≤ 250 ms',
          figure: milliseconds(delivered),
          met: delivered <= 250,
        },
        ...views.map(({ view, times }): Goal => {
          const slow = percentile(times, 0.95)
          return { what: `view ${view}, p95`, goal: '≤ 50 ms', figure: milliseconds(slow), met: slow <= 50 }
        }),
      ],
      tables: [
        {
          title: `${members} members, ${count(conversations)} open and ${count(closedConversations)} closed conversations`,
          columns: ['', ''],
          rows: [
            ['a message reaches a desk, p50', milliseconds(median(latencies))],
            ['CPU without members', share(cpu(started, alone) / idleSeconds)],
            [`CPU with ${members} members, idle`, share(cpu(opened, idle) / idleSeconds)],
            ['CPU a message', milliseconds((cpu(idle, busy) / messages) * 1000)],
            ['memory a member', `${count((opened.resident - alone.resident) / members / 1000)} kB`],
          ],
        },
      ],
      plots: [],
    }
  } finally {
    await Promise.all([clients.stop(), server.stop()])
    removeDatabase(database)
  }
}

const share = (ofCore: number): string => `${(ofCore * 100).toFixed(1)} % of a core`

const streamRequest = (cookie: string, n: number): string =>
  `GET /desk/api/events?member=member-${n} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\n\r\n`

/** Adds signed-in members and closed conversations of the bot. Returns the members' cookies. */
function fillDatabase(
  database: string,
  { organizationId, botId }: { organizationId: string; botId: string },
): string[] {
  const file = new DatabaseSync(database)
  const [begun, ends] = [Date.now(), Date.now() + 12 * 3_600_000].map(time => new Date(time).toISOString())
  const cookies = Array.from({ length: members }, (_, n) => {
    const token = randomBytes(32).toString('hex')
    file
      .prepare(
        `INSERT INTO members (id, organization_id, name, email, email_key, role, password_hash, created_at)
         VALUES (?, ?, 'Nora', ?, ?, 'agent', 'none', ?)`,
      )
      .run(`member-${n}`, organizationId, `member-${n}@shop.example`, `member-${n}@shop.example`, begun ?? '')
    file
      .prepare('INSERT INTO member_sessions (hash, member_id, created_at, expires_at) VALUES (?, ?, ?, ?)')
      .run(hashToken(token), `member-${n}`, begun ?? '', ends ?? '')
    return `natter-desk=${token}`
  })
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${closedConversations})`
  const time = "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + n * 60, 'unixepoch')"
  file.exec('BEGIN')
  file.exec(
    `INSERT INTO conversations (id, bot_id, created_at, last_seq, last_message_at, state, changed_at)
     ${numbers} SELECT 'closed-' || n, '${botId}', ${time}, 1, ${time}, 'closed', ${time} FROM numbers`,
  )
  file.exec(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
     ${numbers} SELECT 'closed-' || n, 1, 'message-' || n, 'visitor', 'Where is my order?', 'plain', ${time} FROM numbers`,
  )
  file.exec(
    `INSERT INTO message_texts (bot_id, conversation_id, seq, text)
     ${numbers} SELECT '${botId}', 'closed-' || n, 1, 'where is my order?' FROM numbers`,
  )
  file.exec('COMMIT')
  file.close()
  return cookies
}

/** The times of the first page of each view and of a search, and of the counts, in milliseconds. */
async function measureViews(port: number, cookies: string[]): Promise<{ view: string; times: number[] }[]> {
  const paths = deskViews.map(view => ({ view: view as string, path: `/conversations?view=${view}` }))
  const figures: { view: string; times: number[] }[] = []
  const others = [
    { view: 'search', path: '/conversations?query=order' },
    { view: 'counts', path: '/counts' },
  ]
  for (const { view, path } of [...paths, ...others]) {
    const times: number[] = []
    for (let round = 0; round < 100; round++) {
      // One after the other: nobody may ask as often as all of them.
      const n = round % cookies.length
      const startedAt = monotonic()
      const response = await fetch(`http://127.0.0.1:${port}/desk/api${path}`, {
        headers: { cookie: cookies[n] ?? '', 'natter-member': `member-${n}` },
      })
      await response.text()
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      times.push(monotonic() - startedAt)
    }
    figures.push({ view, times })
  }
  return figures
}
