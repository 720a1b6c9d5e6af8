import { type ConformanceOptions, type RuleResult, runConformance, selectRules } from '../../conformance/conformance.ts'
import { type CommandContext, command, type Topic, UsageError } from './command.ts'
import { anyText, flag, option, refuse } from './option.ts'
import { json, oneLine } from './rows.ts'

const options = [
  option('--base-url <URL>', 'Address of the platform', readAddress, { env: 'NATTER_BASE_URL' }),
  option('--bot <BOT>', 'The bot on which the rules are checked', anyText, { env: 'NATTER_BOT_ID' }),
  option('--token <TOKEN>', 'An organization token; prefer the variable, since process lists show flags', anyText, {
    env: 'NATTER_ORGANIZATION_TOKEN',
  }),
  option('--only <PATTERN>', 'Only rules that match this regular expression', readPattern),
  flag('--spec-only', 'Only rules of the specification, without those of Natter'),
  json,
] as const

function readAddress(text: string): string {
  return /^https?:/.test(text) && URL.canParse(text) ? text : refuse('Must be an address such as https://chat.example.')
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch {
    return refuse('Must be a regular expression.')
  }
}

async function run({
  values,
  printLine,
  stderr,
}: CommandContext<typeof options, 'baseUrl' | 'bot' | 'token'>): Promise<void> {
  const interruption = watchInterruption()
  const conformanceOptions: ConformanceOptions = {
    baseUrl: values.baseUrl,
    botId: values.bot,
    token: values.token,
    only: values.only,
    specOnly: values.specOnly ?? false,
    signal: interruption.signal,
  }
  const all = selectRules(conformanceOptions).length
  if (all === 0) throw new UsageError('No rule matches --only.')
  let checked = 0
  let broken = 0
  try {
    for await (const result of runConformance(conformanceOptions)) {
      checked++
      if (!result.ok) broken++
      printLine(values.json ? JSON.stringify(result) : lineOf(result))
    }
  } finally {
    interruption.stopWatching()
  }
  if (checked < all) throw new Error('Interrupted. All contacts that were created have been deleted.')
  if (broken > 0) throw new Error(`${broken} of ${all} rules failed.`)
  stderr(`All ${all} rules passed.\n`)
}

/** A signal that the first Ctrl-C aborts. The second one ends the process without cleaning up. */
function watchInterruption(): { signal: AbortSignal; stopWatching(): void } {
  const abort = new AbortController()
  const onSignal = (): void => {
    if (abort.signal.aborted) process.exit(130)
    abort.abort()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  const stopWatching = () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  return { signal: abort.signal, stopWatching }
}

function lineOf({ label, title, ok, expected = '', got = '' }: RuleResult): string {
  if (ok) return `ok ${label} ${title}`
  return oneLine(`FAILED ${label} ${title}: expected ${expected}, got ${got}`)
}

export const conformance: Topic = {
  name: 'conformance',
  summary: 'Check a deployment against the rules of the API',
  note: `Uses only HTTP, so it can check any deployment. It makes about 1600 requests, and creates contacts with emails
natter-conformance-…@example.com. It deletes them at the end, also when rules fail or when you press Ctrl-C.
Each line begins with "ok" or "FAILED", then the section of the specification, or "natter/" and a topic for the rules
that Natter adds where the specification says nothing. The exit code is 1 if a rule failed.`,
  commands: [
    command({
      name: 'conformance',
      summary: 'Prints a line per rule: ok, or FAILED with the expected and the actual result',
      required: ['baseUrl', 'bot', 'token'],
      options,
      run,
    }),
  ],
}
