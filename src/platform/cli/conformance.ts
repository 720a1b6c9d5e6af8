import { type ConformanceOptions, type RuleResult, runConformance, selectRules } from '../conformance/conformance.ts'
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
  bot: { metavar: 'BOT', variable: 'NATTER_BOT_ID', description: 'A bot to try it on', read: anyText },
  token: {
    metavar: 'TOKEN',
    variable: 'NATTER_ORGANIZATION_TOKEN',
    description: 'An organization token; prefer the variable, since process lists show flags',
    read: anyText,
  },
  only: { metavar: 'PATTERN', description: 'Only rules that match this regular expression', read: readPattern },
  'spec-only': { description: 'Only rules of the specification, without those that are ours' },
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
  const interrupted = interruption()
  const asked: ConformanceOptions = {
    baseUrl: values['base-url'],
    botId: values.bot,
    token: values.token,
    only: values.only,
    specOnly: values['spec-only'],
    signal: interrupted.signal,
  }
  const all = selectRules(asked).length
  if (all === 0) throw new UsageError('No rule matches --only.')
  let tried = 0
  let broken = 0
  try {
    for await (const result of runConformance(asked)) {
      tried++
      if (!result.ok) broken++
      printLine(values.json ? JSON.stringify(result) : lineOf(result))
    }
  } finally {
    interrupted.forget()
  }
  if (tried < all) throw new Error('Interrupted; every contact that was made has been deleted.')
  if (broken > 0) throw new Error(`${broken} of ${all} rules do not hold.`)
  stderr(`All ${all} rules hold.\n`)
}

/** A signal that the first Ctrl-C aborts. The second one ends the process without cleaning up. */
function interruption(): { signal: AbortSignal; forget(): void } {
  const abort = new AbortController()
  const onSignal = (): void => {
    if (abort.signal.aborted) process.exit(130)
    abort.abort()
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  return { signal: abort.signal, forget: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) }
}

function lineOf({ label, title, ok, expected = '', got = '' }: RuleResult): string {
  if (ok) return `ok ${label} ${title}`
  return oneLine(`FAILED ${label} ${title}: expected ${expected}, got ${got}`)
}

export const conformance: Topic = {
  name: 'conformance',
  summary: 'Test a platform against the rules of its specification',
  note: `Works over HTTP alone, on any deployment. It makes contacts with emails natter-conformance-…@example.com, some 1600
requests in all, and deletes them, when it fails or is interrupted (Ctrl-C) too. A rule of the specification is
labelled with its section, one of ours with "ours"; exit code 1 where one does not hold.`,
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
