import { type ConformanceOptions, type RuleResult, runConformance, selectRules } from '../../conformance/conformance.ts'
import { type CommandContext, command, type Topic } from './command.ts'
import { anyText, type Options, refuse } from './option.ts'
import { json, oneLine } from './rows.ts'
import { UsageError } from './usageError.ts'

const options = {
  'base-url': {
    metavar: 'URL',
    variable: 'NATTER_BASE_URL',
    description: 'Address of the platform',
    read: text =>
      /^https?:/.test(text) && URL.canParse(text) ? text : refuse('Must be an address such as https://chat.example.'),
  },
  bot: {
    metavar: 'BOT',
    variable: 'NATTER_BOT_ID',
    description: 'The bot on which the rules are checked',
    read: anyText,
  },
  token: {
    metavar: 'TOKEN',
    variable: 'NATTER_ORGANIZATION_TOKEN',
    description: 'An organization token; prefer the variable, since process lists show flags',
    read: anyText,
  },
  only: { metavar: 'PATTERN', description: 'Only rules that match this regular expression', read: readPattern },
  'spec-only': { description: 'Only rules of the specification, without those of Natter' },
  json,
} satisfies Options

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
}: CommandContext<typeof options, 'base-url' | 'bot' | 'token'>): Promise<void> {
  const interruption = watchInterruption()
  const conformanceOptions: ConformanceOptions = {
    baseUrl: values['base-url'],
    botId: values.bot,
    token: values.token,
    only: values.only,
    specOnly: values['spec-only'],
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
      required: ['base-url', 'bot', 'token'],
      options,
      run,
    }),
  ],
}
