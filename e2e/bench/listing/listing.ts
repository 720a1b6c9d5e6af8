import { execute } from '../../../src/platform/testing/postgresServer.ts'
import { createContactGenerator } from '../contactGenerator.ts'
import { count, interleave, median, milliseconds, percentile } from '../figures.ts'
import { startNatter } from '../processes.ts'
import type { BenchOptions, Goal, Report, Table } from '../report.ts'
import { createLargeBot, type LargeBot } from './largeBot.ts'

/** A goal for the 95th percentile, in milliseconds. */
const goalMs = 50
const upsertSize = 1000

type Request = (method: string, query: string, body?: unknown) => Promise<Response>
type Page = { data: { name: string; email: string; phone: string }[]; next?: string | null; pagination?: Pagination }
type Pagination = { total: number; totalIsExact?: false }

interface Figures {
  what: string
  times: number[]
  goal?: number
}

/** Measures pages, searches and lists of one bot with very many contacts, in PostgreSQL. */
export async function benchListing({ rows, rounds }: BenchOptions): Promise<Report> {
  const bot = await createLargeBot(rows)
  try {
    return await measureListing(bot, rows, rounds)
  } finally {
    await bot.remove()
  }
}

export async function measureListing(bot: LargeBot, rows: number, rounds: number): Promise<Report> {
  const natter = await startNatter(bot.database, { logFile: '/dev/null' })
  const url = `http://127.0.0.1:${natter.port}/v1/bots/${bot.botId}/contacts`
  const request: Request = (method, query, body) =>
    fetch(`${url}${query}`, {
      method,
      headers: { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  try {
    const figures = await measureReads(request, rows)
    return reportOf(bot, rows, figures, await measureMaintenance(bot, request, rounds))
  } finally {
    await natter.stop()
  }
}

async function measureReads(request: Request, rows: number): Promise<Figures[]> {
  const search = (query: string) => read(request, 'POST', query)
  const list = (query: string) => read(request, 'GET', query)
  const middle = Math.floor(rows / 2)
  const selective = await selectiveTerms(request)
  const unselective = ['example.com', 'hopper', 'ada', 'er', 'mail.example', '+49', 'søren', 'lovelace']
  const deep = await cursorAt(request, 20)
  const cursors: string[] = []
  for (const term of unselective)
    cursors.push(`?limit=100&query=${encodeURIComponent(term)}&after=${await firstCursor(list, term)}`)
  const term = (text: string) => `?query=${encodeURIComponent(text)}`
  return [
    { what: 'page 1 of all contacts', times: await timesOf(search, ['?page=1']), goal: goalMs },
    { what: 'page 1 000 of all contacts', times: await timesOf(search, ['?page=1000']) },
    { what: 'the page in the middle', times: await timesOf(search, [`?limit=50&page=${Math.ceil(middle / 50)}`], 10) },
    { what: 'selective search, up to 100 hits', times: await timesOf(search, selective.map(term), 200), goal: goalMs },
    { what: 'unselective search', times: await timesOf(search, unselective.map(term), 40) },
    { what: 'search for two characters that are rare', times: await timesOf(search, ['?query=zq'], 5) },
    {
      what: 'one page while iterating contacts.search()',
      times: await timesOf(list, [`?limit=100&after=${deep}`]),
      goal: goalMs,
    },
    { what: 'one page while iterating an unselective search', times: await timesOf(list, cursors) },
    { what: 'first page while iterating a selective search', times: await timesOf(list, selective.map(term), 200) },
  ]
}

/** Measures requests with these queries in turn, in milliseconds. The first round only warms up. */
async function timesOf(send: (query: string) => Promise<Page>, queries: string[], most = 100): Promise<number[]> {
  for (const query of queries.slice(0, 20)) await send(query)
  const times: number[] = []
  for (let index = 0; index < most; index++) {
    const start = performance.now()
    await send(queries[index % queries.length] ?? '')
    times.push(performance.now() - start)
  }
  return times
}

async function read(request: Request, method: string, query: string): Promise<Page> {
  const response = await request(method, query)
  if (!response.ok) throw new Error(`${method} ${query} failed: ${await response.text()}`)
  return (await response.json()) as Page
}

/** Emails, parts of them, names and parts of phone numbers with 1 to 100 hits. */
async function selectiveTerms(request: Request): Promise<string[]> {
  const nextContact = createContactGenerator()
  const terms: string[] = []
  while (terms.length < 100) {
    const { name, email, phone } = nextContact()
    for (const term of [email, email.slice(0, email.indexOf('@')), name, phone.slice(-7).replace(' ', '')]) {
      if (term === '' || (term === name && name.split(' ').length < 3)) continue
      const { pagination } = await read(request, 'POST', `?query=${encodeURIComponent(term)}`)
      if (pagination && pagination.total > 0 && pagination.total <= 100) terms.push(term)
    }
  }
  return terms
}

/** The cursor after that many pages of all contacts. */
async function cursorAt(request: Request, pages: number): Promise<string> {
  let next = ''
  for (let page = 0; page < pages; page++)
    next = (await read(request, 'GET', `?limit=100${next && `&after=${next}`}`)).next ?? ''
  return next
}

async function firstCursor(list: (query: string) => Promise<Page>, term: string): Promise<string> {
  return (await list(`?limit=100&query=${encodeURIComponent(term)}`)).next ?? ''
}

interface Maintenance {
  /** Milliseconds of an upsert of new contacts with and without the maintained count. */
  upserts: [counted: number, uncounted: number][]
  /** Creates per second of 8 connections, each way. */
  creates: [counted: number, uncounted: number][]
}

/** Measures the cost of the maintained count: the same writes with and without the triggers. */
async function measureMaintenance(
  { database, botId }: LargeBot,
  request: Request,
  rounds: number,
): Promise<Maintenance> {
  const setTriggers = (state: 'ENABLE' | 'DISABLE') => execute(database, `ALTER TABLE contacts ${state} TRIGGER USER`)
  let made = 0
  const upsert = async (round: string) => {
    const data = Array.from({ length: upsertSize }, () => ({ name: 'New', email: `u${++made}.${round}@new.example` }))
    const start = performance.now()
    const response = await request('PATCH', '', { data })
    if (!response.ok) throw new Error(await response.text())
    return performance.now() - start
  }
  const creates = async (round: string) => {
    const start = performance.now()
    let done = 0
    const run = async () => {
      while (performance.now() - start < 1000) {
        const response = await request('PUT', '', { name: 'New', email: `c${++made}.${round}@new.example` })
        if (!response.ok) throw new Error(await response.text())
        done++
      }
    }
    await Promise.all(Array.from({ length: 8 }, run))
    return done / ((performance.now() - start) / 1000)
  }
  const both = (write: (round: string) => Promise<number>) =>
    interleave(
      rounds,
      async round => setTriggers('ENABLE').then(() => write(round)),
      async round => setTriggers('DISABLE').then(() => write(round)),
    )
  const maintenance = { upserts: await both(upsert), creates: await both(creates) }
  // Rows that were written without triggers have not been counted.
  await execute(
    database,
    `DELETE FROM contact_counts; ALTER TABLE contacts ENABLE TRIGGER USER;
     INSERT INTO contact_counts (bot_id, contacts) SELECT '${botId}', count(*) FROM contacts`,
  )
  return maintenance
}

function reportOf(bot: LargeBot, rows: number, figures: Figures[], maintenance: Maintenance): Report {
  const p95 = (times: number[]): number => percentile(times, 0.95)
  const goals: Goal[] = figures.flatMap(({ what, times, goal }) =>
    goal === undefined
      ? []
      : [{ what: `${what}, p95`, goal: `≤ ${goal} ms`, figure: milliseconds(p95(times)), met: p95(times) <= goal }],
  )
  const latencies: Table = {
    title: `One bot with ${count(rows)} contacts in PostgreSQL`,
    columns: ['request', 'p50', 'p95', 'requests'],
    rows: figures.map(({ what, times }) => [
      ...[what, milliseconds(median(times)), milliseconds(p95(times)), String(times.length)],
    ]),
  }
  const middles = (pairs: [number, number][]): [number, number] => [
    median(pairs.map(([counted]) => counted)),
    median(pairs.map(([, uncounted]) => uncounted)),
  ]
  const [upserts, creates] = [middles(maintenance.upserts), middles(maintenance.creates)]
  const cost: Table = {
    title: 'What the maintained count costs',
    columns: ['writes', 'with it', 'without it'],
    rows: [
      ['upsert of 1000 new contacts', ...upserts.map(milliseconds)],
      ['creates per second, 8 at once', ...creates.map(count)],
    ],
  }
  return { subject: 'listing', goals, tables: [latencies, cost, growthTable(bot, rows)], plots: [] }
}

/** Disk space and build times, and an estimate for ten times as many rows. */
function growthTable({ seconds, bytes }: LargeBot, rows: number): Table {
  const gigabytes = (value: number): string => `${(value / 1e9).toFixed(1)} GB`
  const minutes = (value: number): string => `${(value / 60).toFixed(1)} min`
  // Sorting takes slightly more than linear time.
  const sorted = (value: number): number => value * 10 * (Math.log(rows * 10) / Math.log(rows))
  const total = Object.values(bytes).reduce((sum, size) => sum + size, 0)
  return {
    title: 'Disk and time',
    columns: ['', `${count(rows)} (measured)`, `${count(rows * 10)} (extrapolated)`],
    rows: [
      ...Object.entries(bytes).map(([name, size]) => [name, gigabytes(size), gigabytes(size * 10)]),
      ['all together', gigabytes(total), gigabytes(total * 10)],
      ['COPY of the rows', minutes(seconds['rows'] ?? 0), minutes((seconds['rows'] ?? 0) * 10)],
      ...['contacts_newest', 'contacts_search'].map(name => [
        `building ${name}`,
        minutes(seconds[name] ?? 0),
        minutes(sorted(seconds[name] ?? 0)),
      ]),
    ],
  }
}
