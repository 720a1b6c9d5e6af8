import { setTimeout as sleep } from 'node:timers/promises'
import { createBareUpsert, isIndexed } from './bareUpsert.ts'
import { copyDatabase, type Dataset, prepareDataset, removeDatabase } from './dataset.ts'
import { count, median, milliseconds, percentile } from './figures.ts'
import type { Load, LoadResult } from './load.ts'
import { type Client, type Server, startClient, startNatter } from './processes.ts'
import type { BenchOptions, Goal, Report } from './report.ts'

/** What is measured at so many contacts of one bot; times in milliseconds. */
interface StoreFigures {
  contacts: number
  /** Searches that find at most 100. */
  search: number[]
  short: number[]
  smallBot: number[]
  lastPage: number[]
  retrieve: number[]
  create: number[]
}

/** Broad on purpose: each of them reads every contact of the bot. */
const shortTerms = ['a', 'e', '7', 'ö', 'zz', 'an', 'ki', '42', 'q', '+4']
const storming = 8

interface Bench {
  dataset: Dataset
  natter: Server
  client: Client
  /** Another, for what goes on meanwhile. */
  other: Client
  seconds: number
}

/** What one finds among a million contacts of one bot, what others wait for it, and how it grows to that. */
export async function benchStore({ rounds, seconds, contacts }: BenchOptions): Promise<Report> {
  const figures: StoreFigures[] = []
  let goals: Goal[] = []
  for (const size of contacts) {
    const dataset = await prepareDataset(size)
    await withBench(dataset, seconds, async bench => {
      const found = await measureStore(bench)
      figures.push(found)
      if (size !== contacts.at(-1)) return
      goals = [...searchGoals(found), ...(await stormGoals(bench)), ...(await upsertGoals(bench, rounds))]
    })
  }
  const medians = (of: (row: StoreFigures) => number[]) => figures.map(row => median(of(row)))
  return {
    subject: 'store',
    goals,
    tables: [tableOf(figures)],
    plots: [
      {
        name: 'contacts',
        kind: 'lines',
        title: 'Milliseconds by number of contacts (medians)',
        x: contacts.map(count),
        series: [
          { name: 'retrieve', values: medians(row => row.retrieve) },
          { name: 'create', values: medians(row => row.create) },
          { name: 'search, ≤ 100 hits', values: medians(row => row.search) },
          { name: '1–2 characters', values: medians(row => row.short) },
          { name: 'last page', values: medians(row => row.lastPage) },
        ],
      },
    ],
  }
}

/** Starts a platform on a copy of the data, and ends it. */
async function withBench(dataset: Dataset, seconds: number, run: (bench: Bench) => Promise<void>): Promise<void> {
  const file = copyDatabase(dataset, 'store')
  const natter = await startNatter(file)
  const [client, other] = [startClient(), startClient()]
  try {
    await run({ dataset: { ...dataset, database: file }, natter, client, other, seconds })
  } finally {
    await Promise.all([client.stop(), other.stop(), natter.stop()])
    removeDatabase(file)
  }
}

function ask({ dataset, natter, seconds }: Bench, load: Partial<Load> & Pick<Load, 'ask'>): Load {
  const { botId, token, contactIds } = dataset
  return {
    path: `/v1/bots/${botId}`,
    token,
    contactIds,
    port: natter.port,
    connections: 1,
    seconds,
    round: stamp(),
    ...load,
  }
}
let asked = 0
const stamp = (): string => `${Date.now().toString(36)}${++asked}`

async function measureStore(bench: Bench): Promise<StoreFigures> {
  const { dataset, client } = bench
  const search = async (queries: string[], botId = dataset.botId) => {
    const load = ask(bench, { ask: 'search', queries, path: `/v1/bots/${botId}` })
    await client.run({ ...load, seconds: 1 })
    return checked(await client.run(load)).latencies
  }
  return {
    contacts: dataset.size,
    search: await search(await narrowQueries(bench)),
    short: await search(shortTerms.map(term => `query=${encodeURIComponent(term)}`)),
    smallBot: await search(
      ['ada', 'hopper', 'a', 'an', '+4', 'example.com'].map(term => `query=${encodeURIComponent(term)}`),
      dataset.smallBotId,
    ),
    lastPage: await search(['limit=100&page=10000', 'limit=100&page=5000', 'limit=10&page=10000']),
    retrieve: await paced(bench, 'retrieve'),
    create: await paced(bench, 'create'),
  }
}

/** Queries of every kind that find at most 100 contacts. */
async function narrowQueries({ dataset, natter }: Bench): Promise<string[]> {
  const terms = dataset.people.flatMap(({ name, email, phone }) => [
    email,
    email.slice(0, email.indexOf('@') - 1),
    ...(name.split(' ').length > 2 ? [name] : []),
    ...(phone ? [phone.slice(-7)] : []),
  ])
  const queries: string[] = []
  for (const term of terms) {
    const query = `query=${encodeURIComponent(term)}`
    const response = await fetch(`http://127.0.0.1:${natter.port}/v1/bots/${dataset.botId}/contacts?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${dataset.token}` },
    })
    const { pagination } = (await response.json()) as { pagination: { total: number } }
    if (pagination.total > 0 && pagination.total <= 100) queries.push(query)
    if (queries.length === 400) break
  }
  return queries
}

/** Latencies at a rate that leaves the server time: those of one that is full tell nothing of what it waits for. */
async function paced(bench: Bench, what: Load['ask']): Promise<number[]> {
  return checked(await bench.client.run(ask(bench, { ask: what, connections: 2, thinkMs: 5 }))).latencies
}

function checked(result: LoadResult): LoadResult {
  const wrong = Object.keys(result.statuses).filter(status => !status.startsWith('2'))
  if (wrong.length > 0) throw new Error(`There were answers of ${JSON.stringify(result.statuses)}`)
  return result
}

const p95 = (values: number[]): number => percentile(values, 0.95)
const p99 = (values: number[]): number => percentile(values, 0.99)

const atMost = (what: string, limit: number, ms: number): Goal => ({
  what,
  goal: `≤ ${limit} ms`,
  figure: milliseconds(ms),
  met: ms <= limit,
})

const searchGoals = ({ contacts, search, short, smallBot, lastPage }: StoreFigures): Goal[] => [
  atMost(`search among ${count(contacts)} contacts, up to 100 hits, p95`, 25, p95(search)),
  atMost('search for one or two characters, slowest', 600, Math.max(...short)),
  atMost('search in a bot of 1 000 contacts beside it, p95', 5, p95(smallBot)),
  atMost('page 10 000 of a listing, p95', 50, p95(lastPage)),
]

/** While clients ask for as much as they can of what is broad. */
async function stormGoals(bench: Bench): Promise<Goal[]> {
  const idle = p99(await paced(bench, 'retrieve'))
  const queries = shortTerms.map(term => `query=${encodeURIComponent(term)}&page=50`)
  const storm = bench.other.run(ask(bench, { ask: 'search', queries, connections: storming, thinkMs: 20 }))
  const during = p99(await paced(bench, 'retrieve'))
  const { statuses } = await storm
  const atOnce = await burst(bench)
  return [
    atMost('retrieve while broad searches storm, p99 over idle', 10, during - idle),
    {
      what: `of ${storming} broad searches at once, answered and refused with 429`,
      goal: `3 and ${storming - 3}`,
      figure: `${atOnce[200] ?? 0} and ${atOnce[429] ?? 0}`,
      met: atOnce[200] === 3 && atOnce[429] === storming - 3 && (statuses[429] ?? 0) > 0,
    },
  ]
}

async function burst({ dataset: { botId, token }, natter }: Bench): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  const search = async (): Promise<void> => {
    const { status } = await fetch(`http://127.0.0.1:${natter.port}/v1/bots/${botId}/contacts?query=an&page=2`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    statuses[status] = (statuses[status] ?? 0) + 1
  }
  await Promise.all(Array.from({ length: storming }, search))
  return statuses
}

/** An upsert of 1000 entries, and what waits for it. */
async function upsertGoals(bench: Bench, rounds: number): Promise<Goal[]> {
  const bare = createBareUpsert(bench.dataset)
  const ratios: number[] = []
  for (let round = 0; round <= 2 * rounds; round++) {
    const once = await bench.client.run(ask(bench, { ask: 'upsert', seconds: 0.001 }))
    await settled(bench)
    if (round > 0) ratios.push(median(checked(once).latencies) / bare.run())
  }
  bare.close()
  const idle = { retrieve: p99(await paced(bench, 'retrieve')), create: p99(await paced(bench, 'create')) }
  const beside = async (what: 'retrieve' | 'create'): Promise<number> => {
    const upserts = bench.other.run(ask(bench, { ask: 'upsert' }))
    const during = p99(await paced(bench, what))
    checked(await upserts)
    await settled(bench)
    return during - idle[what]
  }
  return [
    {
      what: 'upsert of 1000, of the bare SQL transaction',
      goal: '≤ 2 ×',
      figure: `${median(ratios).toFixed(2)} ×`,
      met: median(ratios) <= 2,
    },
    atMost('retrieve beside upserts of 1000, p99 over idle', 10, await beside('retrieve')),
    atMost('create beside upserts of 1000, p99 over idle', 10, await beside('create')),
  ]
}

/** The index is made apart from the writes; whoever comes next must not pay for it. */
async function settled({ dataset }: Bench): Promise<void> {
  while (!isIndexed(dataset.database)) await sleep(50)
}

function tableOf(rows: StoreFigures[]) {
  const p50 = (values: number[]): string => milliseconds(median(values))
  return {
    title: 'Contacts of one bot (medians)',
    columns: [
      'contacts',
      'retrieve',
      'create',
      'search, ≤ 100 hits',
      '1–2 characters',
      'page 10 000',
      'small bot beside it',
    ],
    rows: rows.map(row => [
      count(row.contacts),
      p50(row.retrieve),
      p50(row.create),
      p50(row.search),
      p50(row.short),
      p50(row.lastPage),
      p50(row.smallBot),
    ]),
  }
}
