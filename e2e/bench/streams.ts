import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, streamRequest } from './api.ts'
import { removeDatabase } from './dataset.ts'
import { count, median, milliseconds, percentile } from './figures.ts'
import { createTenant, folder, type Readers, startNatter, startOther, startReaders, usageOf } from './processes.ts'
import { monotonic } from './readers.ts'
import type { BenchOptions, Goal, Report, Table } from './report.ts'

/** What is measured at so many open streams. */
interface StreamFigures {
  streams: number
  resident: number
  bareResident: number
  /** Resident bytes that the streams added. */
  perStream: number
  barePerStream: number
  /** Share of a core while nothing happens but the comments that keep streams alive. */
  idleCpu: number
  messageMs: number[]
  revocationMs: number[]
  /** CPU for one message, milliseconds. */
  cpuPerMessage: number
  /** Bytes that reached streams of other conversations while messages were sent, heartbeats left out. */
  strayBytes: number
}

const sentAtOnce = 20

/** Opens that many streams, each of a contact of its own, on the platform and on a bare server. */
async function measureStreams(streams: number): Promise<StreamFigures> {
  const database = join(folder, `streams.db`)
  removeDatabase(database)
  const { botId, token } = createTenant(database)
  const natter = await startNatter(database)
  const bare = await startOther('bare.ts', database)
  const readers = startReaders()
  const api = createApi(natter, botId, token)
  const tokens = await api.issueTokens(streams)
  const before = { natter: usageOf(natter), bare: usageOf(bare) }

  await readers.open(
    bare.port,
    Array.from({ length: streams }, () => streamRequest('', botId)),
  )
  await sleep(5000)
  const bareAfter = usageOf(bare)
  await readers.close()

  await readers.open(
    natter.port,
    tokens.map(bearer => streamRequest(bearer, botId)),
  )
  await sleep(5000)
  const after = usageOf(natter)
  await sleep(20_000)
  const idle = usageOf(natter)

  const messages = await timed(readers, tokens, 'event: message', 200, bearer => api.send(bearer))
  const spent = usageOf(natter).cpuSeconds - idle.cpuSeconds
  const revocations = await timed(readers, tokens, 'event: session.ended', 200, bearer => api.revoke(bearer))
  await Promise.all([readers.stop(), natter.stop(), bare.stop()])
  removeDatabase(database)
  return {
    streams,
    resident: after.resident,
    bareResident: bareAfter.resident,
    perStream: (after.resident - before.natter.resident) / streams,
    barePerStream: (bareAfter.resident - before.bare.resident) / streams,
    idleCpu: (idle.cpuSeconds - after.cpuSeconds) / 20,
    messageMs: messages.ms,
    revocationMs: revocations.ms,
    cpuPerMessage: (spent / messages.ms.length) * 1000,
    strayBytes: messages.strayBytes,
  }
}

/** Does something about some of the tokens, and tells how long it took until their streams heard of it. */
async function timed(
  readers: Readers,
  tokens: string[],
  word: string,
  times: number,
  act: (bearer: string) => Promise<void>,
): Promise<{ ms: number[]; strayBytes: number }> {
  await readers.listen(word)
  const step = Math.max(1, Math.floor(tokens.length / times))
  const chosen = tokens.map((_, index) => index).filter(index => index % step === 0)
  const began = new Map<number, number>()
  const waiting = chosen.values()
  const lane = async (): Promise<void> => {
    for (const index of waiting) {
      began.set(index, monotonic())
      await act(tokens[index] as string)
    }
  }
  await Promise.all(Array.from({ length: sentAtOnce }, lane))
  await sleep(1000)
  const { at, bytes } = await readers.heard()
  const heartbeat = 4 + '4\r\n\r\n'.length
  const stray = bytes.map((received, index) => (began.has(index) ? 0 : received % heartbeat))
  return {
    ms: chosen.map(index => (at[index] ? at[index] - (began.get(index) ?? 0) : Number.POSITIVE_INFINITY)),
    strayBytes: stray.reduce((sum, received) => sum + received, 0),
  }
}

/** Ten thousand open streams on one process, and how it grows to that. */
export async function benchStreams({ streams }: BenchOptions): Promise<Report> {
  const figures: StreamFigures[] = []
  for (const many of streams) figures.push(await measureStreams(many))
  const last = figures.at(-1)
  const megabytes = (of: (row: StreamFigures) => number) => figures.map(row => of(row) / 1e6)
  return {
    subject: 'streams',
    goals: last ? goalsOf(last) : [],
    tables: [tableOf(figures)],
    plots: [
      {
        name: 'streams',
        kind: 'lines',
        title: 'Resident megabytes by number of open streams',
        x: streams.map(count),
        series: [
          { name: 'Natter', values: megabytes(row => row.resident) },
          { name: 'bare node:http', values: megabytes(row => row.bareResident) },
        ],
      },
    ],
  }
}

function goalsOf({ streams, resident, bareResident, messageMs, revocationMs, strayBytes }: StreamFigures): Goal[] {
  const ratio = resident / bareResident
  const within = (what: string, ms: number): Goal => ({
    what: `${what} reaches its stream, p99`,
    goal: '≤ 250 ms',
    figure: milliseconds(ms),
    met: ms <= 250,
  })
  return [
    {
      what: `resident memory at ${count(streams)} streams, of a bare server's`,
      goal: '≤ 2.5 ×',
      figure: `${ratio.toFixed(2)} ×`,
      met: ratio <= 2.5,
    },
    within('a message', percentile(messageMs, 0.99)),
    within('a revocation', percentile(revocationMs, 0.99)),
    {
      what: 'bytes that a message sends to streams of other conversations',
      goal: '0',
      figure: count(strayBytes),
      met: strayBytes === 0,
    },
  ]
}

function tableOf(rows: StreamFigures[]): Table {
  return {
    title: 'Streams',
    columns: [
      'streams',
      'MB',
      'bare MB',
      'kB a stream',
      'bare kB a stream',
      'idle CPU',
      'message p50',
      'CPU a message',
    ],
    rows: rows.map(row => [
      count(row.streams),
      count(row.resident / 1e6),
      count(row.bareResident / 1e6),
      (row.perStream / 1e3).toFixed(1),
      (row.barePerStream / 1e3).toFixed(1),
      `${(row.idleCpu * 100).toFixed(1)} %`,
      milliseconds(median(row.messageMs)),
      milliseconds(row.cpuPerMessage),
    ]),
  }
}
