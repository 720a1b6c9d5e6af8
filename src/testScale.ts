/**
 * How much the tests of abuse and faults do. `npm run test:all` sets the variable and has them do a great deal more;
 * `NATTER_TEST_SEED` repeats what has failed, and with `NATTER_TEST_PLAN` (the `path` in the output of fast-check, which counts the
 * examples, too) only the plan of a simulation that has.
 */
const long = process.env['NATTER_TEST_LONG'] === '1'
const scaled = (short: number, much: number): number => (long ? much : short)

export const scale = {
  /** The same numbers every time in the short form, so that the gate does not fail by chance. */
  seed: Number(process.env['NATTER_TEST_SEED'] ?? scaled(20_300_115, Date.now() % 2 ** 31)),
  fuzzedRequests: scaled(1500, 100_000),
  /** How many of them must succeed at each endpoint. */
  fuzzedSuccesses: scaled(1, 6),
  fuzzedVolleys: scaled(20, 2000),
  fuzzedSockets: scaled(300, 10_000),
  fuzzedForms: scaled(50, 5000),
  modelHistories: scaled(6, 500),
  createdTokens: scaled(10_000, 100_000),
  /** Up to which code point every character is tried, and not only those that Unicode folds to ASCII. */
  codePoints: scaled(0x3000, 0x30000),
  /** Bodies that take long to check, the worst ones first. */
  worstBodies: scaled(5, Number.POSITIVE_INFINITY),
  /** Of uploads that meet another request. */
  races: scaled(2, 8),
  /** How large the files are of which ten must not be in memory. */
  transferredMebibytes: scaled(4, 10),
  /** Clients that never read, and what each is sent. */
  unread: { readers: scaled(10, 40), chunks: scaled(1500, 2500) },
  interleavings: scaled(120, 5000),
  livesOfTabs: scaled(40, 2000),
  outagesOfTabs: scaled(10, 1000),
  /** Between a real browser and the platform. The seed says at which byte they begin, so that in time every byte is cut. */
  cuts: { upTo: scaled(1200, 1500), step: scaled(60, 7) },
  /** Until a test with cut connections counts as hanging. Each message has its own time limit. */
  proxiedMinutes: scaled(3, 40),
  /** Guides that are opened in the browser, those with parts of their own first. */
  guides: scaled(2, Number.POSITIVE_INFINITY),
  concurrentUpserts: { upserts: scaled(10, 50), entries: scaled(200, 1000) },
} as const

/** The settings of fast-check for a simulation. Its plans are long, so it doesn't look for a shorter one that fails. */
export function simulationRuns(numRuns: number) {
  const path = process.env['NATTER_TEST_PLAN']
  return { numRuns: path ? 1 : numRuns, seed: scale.seed, endOnFailure: true, ...(path && { path }) }
}

/** Tells how much has been done, in the output of the run. */
export const report = (text: string): void => console.info(`${text} (seed ${scale.seed})`)
