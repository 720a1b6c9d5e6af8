import { copyDatabase, type Dataset, removeDatabase } from './dataset.ts'
import type { Load, LoadResult } from './loadClient.ts'
import { type Client, type Server, startClient, startNatter } from './processes.ts'

/** Measurements with a number of contacts of one bot; times in milliseconds. */
export interface StoreFigures {
  contacts: number
  /** Searches with at most 100 results. */
  search: number[]
  short: number[]
  smallBot: number[]
  /** The page in the middle of the listing, farthest from both ends: page 10,000 of a million contacts. */
  middlePage: number[]
  retrieve: number[]
  create: number[]
}

/** A platform on a copy of the data, and two load clients. */
export interface Bench {
  dataset: Dataset
  natter: Server
  client: Client
  /** Sends the background load. */
  backgroundClient: Client
  seconds: number
}

/** Deliberately broad: each of them reads every contact of the bot. */
export const shortTerms: string[] = ['a', 'e', '7', 'ö', 'zz', 'an', 'ki', '42', 'q', '+4']

/** Runs a function with a platform on a copy of the data. */
export async function withBench(
  dataset: Dataset,
  seconds: number,
  run: (bench: Bench) => Promise<void>,
): Promise<void> {
  const file = copyDatabase(dataset, 'store')
  const natter = await startNatter(file)
  const [client, backgroundClient] = [startClient(), startClient()]
  try {
    await run({ dataset: { ...dataset, database: file }, natter, client, backgroundClient, seconds })
  } finally {
    await Promise.all([client.stop(), backgroundClient.stop(), natter.stop()])
    removeDatabase(file)
  }
}

export function createLoad({ dataset, natter, seconds }: Bench, load: Partial<Load> & Pick<Load, 'request'>): Load {
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
let loadCount = 0
const stamp = (): string => `${Date.now().toString(36)}${++loadCount}`

export async function measureStore(bench: Bench): Promise<StoreFigures> {
  const { dataset, client } = bench
  const search = async (queries: string[], botId = dataset.botId) => {
    const load = createLoad(bench, { request: 'search', queries, path: `/v1/bots/${botId}` })
    await client.run({ ...load, seconds: 1 })
    return requireSuccess(await client.run(load)).latencies
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
    retrieve: await measurePaced(bench, 'retrieve'),
    create: await measurePaced(bench, 'create'),
  }
}

/** Queries by email, name and phone number with at most 100 results. */
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

/** Latencies below full load: a saturated server would only show its queueing time. */
export async function measurePaced(bench: Bench, what: Load['request']): Promise<number[]> {
  return requireSuccess(await bench.client.run(createLoad(bench, { request: what, connections: 2, thinkMs: 5 })))
    .latencies
}

/** Throws if any response was not a success. */
export function requireSuccess(result: LoadResult): LoadResult {
  const wrong = Object.keys(result.statuses).filter(status => !status.startsWith('2'))
  if (wrong.length > 0) throw new Error(`Some requests failed. Statuses: ${JSON.stringify(result.statuses)}`)
  return result
}
