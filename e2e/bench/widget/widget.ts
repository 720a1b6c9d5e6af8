import type { Browser } from '@playwright/test'
import { median, milliseconds } from '../figures.ts'
import type { BenchOptions, Goal, Report, Table } from '../report.ts'
import { slowdown, startBrowser } from './browser.ts'
import { bareBody, type Loaded, measureBare, measureLoading, withoutPage } from './loading.ts'
import { measureLogin } from './login.ts'
import { converse, measureMounted, measureOpening, measureReturning } from './opening.ts'
import { servePage } from './pages.ts'
import { preparePeers } from './peers.ts'
import { startHome } from './platform.ts'
import { deltasPerSecond, measureStreaming } from './streaming.ts'

/** Natter in a page beside other chat widgets, and what it promises by itself. */
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
  medians: Loaded
}

/** All of them in turns, each in a fresh browser; the first round only warms up. Natter comes first. */
async function compare(browser: Browser, rounds: number): Promise<Found[]> {
  const home = await startHome()
  const subjects = [home.subject(), ...preparePeers()]
  const bareServer = await servePage({ body: bareBody })
  const servers = await Promise.all(
    subjects.map(({ embed, files, answer }) => servePage({ body: embed, files, answer })),
  )
  const runs: Loaded[][] = subjects.map(() => [])
  for (let round = 0; round <= rounds; round++) {
    const bare = await measureBare(browser, bareServer)
    for (const [index, subject] of subjects.entries()) {
      const server = servers[index]
      if (!server) continue
      const own = withoutPage(await measureLoading(browser, server, subject), bare)
      if (round > 0) runs[index]?.push(own)
    }
  }
  await Promise.all([bareServer.stop(), home.stop(), ...servers.map(server => server.stop())])
  return subjects.map(({ name }, index) => ({ name, medians: mediansOf(runs[index] ?? []) }))
}

function mediansOf(runs: Loaded[]): Loaded {
  const of = (figure: (run: Loaded) => number) => median(runs.map(figure))
  return {
    launcher: runs[0]?.launcher
      ? { bytes: of(run => run.launcher?.bytes ?? 0), scriptMs: of(run => run.launcher?.scriptMs ?? 0) }
      : null,
    panel: { bytes: of(run => run.panel.bytes), scriptMs: of(run => run.panel.scriptMs) },
    heap: of(run => run.heap),
    longestTaskMs: Math.max(...runs.map(run => run.longestTaskMs)),
  }
}

const figures: [what: string, atLeast: number, of: (loaded: Loaded) => number | undefined][] = [
  ['bytes until the launcher is there', 4, ({ launcher }) => launcher?.bytes],
  ['script time until the launcher is there', 4, ({ launcher }) => launcher?.scriptMs],
  ['bytes until the panel takes text', 4, ({ panel }) => panel.bytes],
  ['script time until the panel takes text', 4, ({ panel }) => panel.scriptMs],
  ['heap with the panel open', 2, ({ heap }) => heap],
]

function loadingGoals([ours, ...peers]: Found[]): Goal[] {
  if (!ours) return []
  const goals = figures.map(([what, atLeast, of]): Goal => {
    const mine = of(ours.medians) ?? Number.NaN
    const ratios = peers.flatMap(({ name, medians }) => ({ name, ratio: (of(medians) ?? Number.NaN) / mine }))
    const [next] = ratios.filter(({ ratio }) => !Number.isNaN(ratio)).toSorted((a, b) => a.ratio - b.ratio)
    const ratio = next?.ratio ?? 0
    const figure = `${ratio.toFixed(1)} × (${next?.name})`
    return { what: `${what}: the next one needs`, goal: `≥ ${atLeast} ×`, figure, met: ratio >= atLeast }
  })
  const { longestTaskMs } = ours.medians
  return [...goals, taskGoal('longest task while it loads and opens', longestTaskMs)]
}

const taskGoal = (what: string, longestMs: number): Goal => ({
  what,
  goal: '≤ 50 ms',
  figure: longestMs ? milliseconds(longestMs) : 'under 50 ms',
  met: longestMs <= 50,
})

const pagesPassed = 12

async function ownGoals(browser: Browser, rounds: number): Promise<Goal[]> {
  const home = await startHome('--responder', 'none')
  const overhead = median((await measureLogin(browser, home, rounds)).map(([login, bare]) => login - bare))
  const opening = median(await measureOpening(browser, home, rounds))
  const [few, many] = [await converse(home, 50), await converse(home, 10_000)]
  const ratio = median((await measureReturning(browser, home, [few, many], rounds)).map(([one, other]) => other / one))
  const mounted = await measureMounted(browser, home, many, pagesPassed)
  await home.stop()
  const { longestTaskMs, seconds } = await measureStreaming(browser)
  const stream = `longest task while ${deltasPerSecond} deltas a second come in (${seconds.toFixed(0)} s)`
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
    taskGoal(stream, longestTaskMs),
  ]
}

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`

const tableOf = (found: Found[]): Table => ({
  title: `Each on a bare page whose own cost is subtracted, at a ${slowdown} × CPU slowdown; scripts as Chrome counts them, without what promises call`,
  columns: ['', 'launcher, bytes', 'launcher, script', 'panel, bytes', 'panel, script', 'heap', 'longest task'],
  rows: found.map(({ name, medians: { launcher, panel, heap, longestTaskMs } }) => [
    name,
    launcher ? kilobytes(launcher.bytes) : '–',
    launcher ? milliseconds(launcher.scriptMs) : '–',
    kilobytes(panel.bytes),
    milliseconds(panel.scriptMs),
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
