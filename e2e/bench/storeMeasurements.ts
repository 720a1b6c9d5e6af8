import { copyDatabase, type Dataset, removeDatabase } from './dataset.ts'
import type { Load, LoadResult } from './loadClient.ts'
import { type Client, type Server, startClient, startNatter } from './processes.ts'

/** What is measured at so many contacts of one bot; times in milliseconds. */
export interface StoreFigures {
  contacts: number
  /** Searches that find at most 100. */
  search: number[]
  short: number[]
  smallBot: number[]
  /** As far from both ends of a listing as can be; of a million contacts page 10,000. */
  middlePage: number[]
  retrieve: number[]
  create: number[]
}

/** A platform on a copy of the data, and two clients of it. */
export interface Bench {
  dataset: Dataset
  natter: Server
  client: Client
  /** Another, for what goes on meanwhile. */
  other: Client
  seconds: number
}

/** Broad on purpose: each of them reads every contact of the bot. */
export const shortTerms: string[] = ['a', 'e', '7', 'ö', 'zz', 'an', 'ki', '42', 'q', '+4']
/** Starts a platform on a copy of the data, and ends it. */
export async function withBench(
  dataset: Dataset,
  seconds: number,
  run: (bench: Bench) => Promise<void>,
): Promise<void> {
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

export function ask({ dataset, natter, seconds }: Bench, load: Partial<Load> & Pick<Load, 'ask'>): Load {
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

export async function measureStore(bench: Bench): Promise<StoreFigures> {
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
    middlePage: await search([`limit=50&page=${Math.ceil(dataset.size / 100)}`]),
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
export async function paced(bench: Bench, what: Load['ask']): Promise<number[]> {
  return checked(await bench.client.run(ask(bench, { ask: what, connections: 2, thinkMs: 5 }))).latencies
}

export function checked(result: LoadResult): LoadResult {
  const wrong = Object.keys(result.statuses).filter(status => !status.startsWith('2'))
  if (wrong.length > 0) throw new Error(`There were answers of ${JSON.stringify(result.statuses)}`)
  return result
}
