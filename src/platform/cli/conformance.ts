import { type RuleResult, runConformance, selectRules } from '../../conformance/conformance.ts'
import { type CommandContext, command, UsageError } from './command.ts'
import { option, readAddress, refuse, required } from './option.ts'
import { json, printRows } from './rows.ts'

const options = [
  required(option('--base-url <URL>', 'Address of the platform').argParser(readAddress).env('NATTER_BASE_URL')),
  required(option('--bot <BOT>', 'The bot on which the rules are checked').env('NATTER_BOT_ID')),
  required(
    option('--token <TOKEN>', 'An organization token; process lists show flags').env('NATTER_ORGANIZATION_TOKEN'),
  ),
  option('--only <PATTERN>', 'Only rules that match this regular expression').argParser(readPattern),
  option('--spec-only', 'Only rules of the specification, without those of Natter'),
  json,
] as const

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'i')
  } catch {
    return refuse('Must be a regular expression.')
  }
}

async function run(call: CommandContext<typeof options>): Promise<void> {
  const { baseUrl, bot: botId, token, only, specOnly = false } = call.values
  const abort = new AbortController()
  const asked = { baseUrl, botId, token, only, specOnly, signal: abort.signal }
  const all = selectRules(asked).length
  if (all === 0) throw new UsageError('No rule matches --only.')
  let checked = 0
  let broken = 0
  // The first Ctrl-C stops it. The second one ends the process without cleaning up, as without a listener.
  const onSignal = (): void => abort.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    for await (const result of runConformance(asked)) {
      checked++
      if (!result.ok) broken++
      printRows(call, [result], ({ label, title, ok, expected = '', got = '' }: RuleResult) => [
        ok ? `ok ${label} ${title}` : `FAILED ${label} ${title}: expected ${expected}, got ${got}`,
      ])
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  if (checked < all) throw new Error('Interrupted. All contacts that were created have been deleted.')
  if (broken > 0) throw new Error(`${broken} of ${all} rules failed.`)
  call.stderr(`All ${all} rules passed.\n`)
}

export const conformance = command({
  name: 'conformance',
  summary: 'Checks a deployment against the rules of the API',
  note: `Uses only HTTP, so it can check any deployment. It makes about 1600 requests, and creates contacts with emails
natter-conformance-…@example.com. It deletes them at the end, also when rules fail or when you press Ctrl-C.
Each line begins with "ok" or "FAILED", then the section of the specification, or "natter/" and a topic for the rules
that Natter adds where the specification says nothing. The exit code is 1 if a rule failed.`,
  options,
  run,
})
