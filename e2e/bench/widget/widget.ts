import type { Browser } from '@playwright/test'
import { median, milliseconds } from '../figures.ts'
import type { BenchOptions, Goal, Report, Table } from '../report.ts'
import { type Cost, slowdown, startBrowser } from './browser.ts'
import { bareBody, type Loaded, measureBare, measureLoading, withoutPage } from './loading.ts'
import { measureLogin } from './login.ts'
import { measureMotion } from './motion.ts'
import { converse, measureMounted, measureOpening, measureReturning } from './opening.ts'
import { servePage } from './pages.ts'
import { preparePeers } from './peers.ts'
import { startHome } from './platform.ts'
import { deltasPerSecond, measureStreaming, streamSeconds } from './streaming.ts'

/** Compares Natter with other chat widgets, and with its own goals. For each goal the worst of all rounds counts. */
export async function benchWidget({ rounds }: BenchOptions): Promise<Report> {
  const browser = await startBrowser()
  try {
    const found = await compare(browser, rounds)
    const goals = [...loadingGoals(found), ...(await ownGoals(browser, rounds))]
    return { subject: 'widget', goals, tables: [tableOf(found)], plots: plotsOf(found) }
  } finally {
    await browser.close()
  }
}

interface Found {
  name: string
  /** One entry per round. */
  runs: Loaded[]
  medians: Loaded
}

/** Measures all widgets in turn, each in a fresh browser. The first round only warms up. Natter comes first. */
async function compare(browser: Browser, rounds: number): Promise<Found[]> {
  const home = await startHome()
  const subjects = [home.subject(), ...preparePeers()]
  const bareServer = await servePage({ body: bareBody })
  const servers = await Promise.all(
    subjects.map(({ embed, files, answer }) => servePage({ body: embed, files, answer })),
  )
  const found = subjects.map(({ name }) => ({ name, runs: [] as Loaded[] }))
  for (let round = 0; round <= rounds; round++) {
    const bare = await measureBare(browser, bareServer)
    for (const [index, subject] of subjects.entries()) {
      const server = servers[index]
      if (!server) continue
      const own = withoutPage(await measureLoading(browser, server, subject), bare)
      if (round > 0) found[index]?.runs.push(own)
    }
  }
  await Promise.all([bareServer.stop(), home.stop(), ...servers.map(server => server.stop())])
  return found.map(({ name, runs }) => ({ name, runs, medians: mediansOf(runs) }))
}

function mediansOf(runs: Loaded[]): Loaded {
  const of = (figure: (run: Loaded) => number) => median(runs.map(figure))
  const ofCost = (cost: (run: Loaded) => Cost | null) => ({
    bytes: of(run => cost(run)?.bytes ?? 0),
    scriptMs: of(run => cost(run)?.scriptMs ?? 0),
    taskMs: of(run => cost(run)?.taskMs ?? 0),
  })
  return {
    launcher: runs[0]?.launcher ? ofCost(run => run.launcher) : null,
    panel: ofCost(run => run.panel),
    usableMs: runs[0]?.usableMs ? of(run => run.usableMs ?? 0) : null,
    heap: of(run => run.heap),
    longestTaskMs: Math.max(...runs.map(run => run.longestTaskMs)),
  }
}

type Figure = (loaded: Loaded) => number | undefined

const figures: [what: string, atLeast: number, figure: Figure][] = [
  ['script time until the launcher is there', 4, ({ launcher }) => launcher?.scriptMs],
  ['bytes until the panel takes text', 3, ({ panel }) => panel.bytes],
]

function loadingGoals([ours, ...peers]: Found[]): Goal[] {
  if (!ours) return []
  const goals = figures.map(([what, atLeast, figure]): Goal => {
    const ratios = peers.map(peer => ({ name: peer.name, ratio: Math.min(...ratiosOf(peer, ours, figure)) }))
    const [next] = ratios.filter(({ ratio }) => !Number.isNaN(ratio)).toSorted((a, b) => a.ratio - b.ratio)
    const ratio = next?.ratio ?? 0
    const measured = `${ratio.toFixed(1)} × (${next?.name})`
    return { what: `${what}: the next one needs`, goal: `≥ ${atLeast} ×`, figure: measured, met: ratio >= atLeast }
  })
  return [
    ...goals,
    bestGoal('heap with the panel open', 1.2, ours, peers, ({ heap }) => heap),
    bestGoal('click until the field takes text', 1, ours, peers, ({ usableMs }) => usableMs ?? undefined),
    bestGoal('all tasks until the panel is open', 1, ours, peers, ({ panel }) => panel.taskMs),
  ]
}

/** Natter is compared with the best of the others. */
function bestGoal(what: string, atMost: number, ours: Found, peers: Found[], figure: Figure): Goal {
  const [best] = peers
    .filter(({ medians }) => figure(medians) !== undefined)
    .toSorted((a, b) => (figure(a.medians) ?? 0) - (figure(b.medians) ?? 0))
  const ratio = best ? Math.max(...ratiosOf(ours, best, figure)) : Number.NaN
  return {
    what: `${what}, against ${best?.name}`,
    goal: `≤ ${atMost} ×`,
    figure: `${ratio.toFixed(2)} ×`,
    met: ratio <= atMost,
  }
}

/** The ratio of two widgets in each round. */
const ratiosOf = (one: Found, other: Found, figure: Figure): number[] =>
  one.runs.map((run, round) => (figure(run) ?? Number.NaN) / (figure(other.runs[round] as Loaded) ?? Number.NaN))

const taskGoal = (what: string, longestMs: number): Goal => ({
  what: `longest task ${what}`,
  goal: '≤ 50 ms',
  figure: longestMs ? milliseconds(longestMs) : 'under 50 ms',
  met: longestMs <= 50,
})

const pagesPassed = 12

async function ownGoals(browser: Browser, rounds: number): Promise<Goal[]> {
  const home = await startHome('--responder', 'none')
  const overhead = Math.max(...(await measureLogin(browser, home, rounds)).map(([login, bare]) => login - bare))
  const unfetched = await measureOpening(browser, home, rounds, false)
  const fetched = await measureOpening(browser, home, rounds, true)
  const longestFrame = Math.max(...(await measureMotion(browser, home, rounds)))
  const [few, many] = [await converse(home, 50), await converse(home, 10_000)]
  const returning = await measureReturning(browser, home, [few, many], rounds)
  const ratio = Math.max(...returning.map(([one, other]) => other.paintedMs / one.paintedMs))
  const mounted = await measureMounted(browser, home, many, pagesPassed)
  await home.stop()
  const streams = []
  for (let round = 0; round < rounds; round++) streams.push(await measureStreaming(browser))
  const opening = Math.max(...fetched.map(({ paintedMs }) => paintedMs))
  const longestOf = (runs: { longestTaskMs: number }[]) => Math.max(...runs.map(({ longestTaskMs }) => longestTaskMs))
  return [
    {
      what: '`login()` beyond one round trip and the preflight',
      goal: '≤ 20 ms',
      figure: milliseconds(overhead),
      met: overhead <= 20,
    },
    {
      what: 'click to the first paint of the panel, its parts fetched',
      goal: '≤ 100 ms',
      figure: milliseconds(opening),
      met: opening <= 100,
    },
    {
      what: 'longest time without a new frame while the panel moves in, its parts fetched',
      goal: '≤ 34 ms',
      figure: milliseconds(longestFrame),
      met: longestFrame <= 34,
    },
    taskGoal('from the click until the panel takes text, its parts fetched', longestOf(fetched)),
    taskGoal('from the click until the panel takes text, nothing fetched', longestOf(unfetched)),
    taskGoal('from the click until the panel takes text, of a contact that returns', longestOf(returning.flat())),
    {
      what: 'a conversation of 10 000 messages opens, against one of 50, in',
      goal: '≤ 1.5 ×',
      figure: `${ratio.toFixed(2)} ×`,
      met: ratio <= 1.5,
    },
    {
      what: `messages mounted at most while ${pagesPassed} pages of it are scrolled past`,
      goal: '≤ 120',
      figure: String(mounted),
      met: mounted <= 120,
    },
    taskGoal(`while ${deltasPerSecond} deltas a second come in, for ${streamSeconds} s`, longestOf(streams)),
  ]
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

const tableOf = (found: Found[]): Table => ({
  title: `Medians, the longest task of all runs. Each on a bare page whose own cost is subtracted, at a ${slowdown} × CPU slowdown; scripts as Chrome counts them, without what promises call`,
  columns: [
    '',
    'launcher, bytes',
    'launcher, script',
    'panel, bytes',
    'panel, script',
    'panel, all tasks',
    'click until it takes text',
    'heap',
    'longest task',
  ],
  rows: found.map(({ name, medians: { launcher, panel, usableMs, heap, longestTaskMs } }) => [
    name,
    launcher ? kilobytes(launcher.bytes) : '–',
    launcher ? milliseconds(launcher.scriptMs) : '–',
    kilobytes(panel.bytes),
    milliseconds(panel.scriptMs),
    milliseconds(panel.taskMs),
    usableMs === null ? '–' : milliseconds(usableMs),
    `${(heap / 1e6).toFixed(2)} MB`,
    longestTaskMs ? milliseconds(longestTaskMs) : '< 50 ms',
  ]),
})

function plotsOf(found: Found[]): Report['plots'] {
  const x = found.map(({ name }) => name.replace(/ .*/, ''))
  const plot = (name: string, title: string, of: (cost: { bytes: number; scriptMs: number }) => number) => ({
    ...{ name, title, x },
    kind: 'bars' as const,
    series: [
      { name: 'launcher', values: found.map(({ medians }) => (medians.launcher ? of(medians.launcher) : 0)) },
      { name: 'panel', values: found.map(({ medians }) => of(medians.panel)) },
    ],
  })
  return [
    plot('widget-bytes', 'kB until the launcher is there, until the panel takes text', ({ bytes }) => bytes / 1000),
    plot('widget-script', `ms of scripts until then, at a ${slowdown} × CPU slowdown`, ({ scriptMs }) => scriptMs),
  ]
}
