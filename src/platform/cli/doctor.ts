import { runDoctor } from '../../doctor/doctor.ts'
import { count } from '../count.ts'
import { type CommandContext, command } from './command.ts'
import { existing, readKept, withStore } from './database.ts'
import { option, readAddress, readApiKey, refuse, required, variableOnly } from './option.ts'
import { json, printRows } from './rows.ts'

/** The requests of the API are below `/v1` of the platform's address, and its script is not. */
const readBaseUrl = (text: string): string =>
  /\/v1\/*$/.test(readAddress(text)) ? refuse('Must not end with /v1: it is the address before that.') : text

/** A path without a slash would depend on the page, so the widget refuses it, too. */
const readTokenUrl = (text: string): string =>
  /^(?:https?:\/\/|\/(?!\/))/.test(text) && URL.canParse(text, 'https://shop.example')
    ? text
    : refuse('Must be a path such as /chat-token, or an address.')

const options = [
  required(option('--site <URL>', 'A page that embeds the chat').argParser(readAddress)),
  option('--base-url <URL>', "The platform; default: that of the page's tag").argParser(readBaseUrl),
  option('--bot <BOT>', "The bot; default: that of the page's tag"),
  option('--token-url <URL>', "The token route; default: that of the page's tag").argParser(readTokenUrl),
  option('--database <DATABASE>', "The platform's database, to try the bot's webhooks, too").argParser(readKept),
  json,
  option('--organization-token <TOKEN>', "Organization token of the site's server")
    .argParser(readApiKey)
    .env('NATTER_ORGANIZATION_TOKEN')
    .helpGroup(variableOnly),
  option('--server-base-url <URL>', "The platform's address for this token; default: that of --base-url")
    .argParser(readBaseUrl)
    .env('NATTER_BASE_URL')
    .helpGroup(variableOnly),
  option('--server-bot <BOT>', "The bot of the site's server; default: that of the page")
    .env('NATTER_BOT_ID')
    .helpGroup(variableOnly),
] as const

async function run(call: CommandContext<typeof options>): Promise<void> {
  const counts = { ok: 0, note: 0, failed: 0 }
  const { site, baseUrl, bot: botId, tokenUrl, database } = call.values
  const { organizationToken: token, serverBaseUrl = baseUrl, serverBot } = call.values
  const server = token ? { token, baseUrl: serverBaseUrl, botId: serverBot } : undefined
  const file = database === undefined ? undefined : existing(database)
  const findBot = file === undefined ? undefined : (id: string) => withStore(call, file, store => store.findBot(id))
  const now = call.clock.now
  for await (const result of runDoctor({ site, baseUrl, botId, tokenUrl, server, findBot, fetch, now })) {
    const { check, kind, found, fix } = result
    counts[kind]++
    const shown = { check, ok: kind !== 'failed', kind, found, fix }
    const word = kind === 'failed' ? 'FAILED' : kind
    printRows(call, [shown], () => [`${word} ${check}: ${found}${fix ? `. ${fix}` : ''}`])
  }
  if (!server)
    call.stderr(
      'The organization token was not tried. Set NATTER_BASE_URL, NATTER_BOT_ID and NATTER_ORGANIZATION_TOKEN as your server has them.\n',
    )
  const all = counts.ok + counts.failed
  if (counts.failed > 0) throw new Error(`${counts.failed} of ${count(all, 'check')} failed.`)
  call.stderr(`All ${all} checks are ok${counts.note > 0 ? `, with ${count(counts.note, 'note')}` : ''}.\n`)
}

export const doctor = command({
  name: 'doctor',
  summary: 'Finds out why the chat does not work on a site',
  note: `It tries the page, its Content Security Policy, the token route, and the platform from outside, as a browser does. It
sends no cookies, changes nothing and creates no session. With the variables of the site's server it also tries its
organization token. With --database, on the machine of the platform, it sends an unsigned request to the bot's webhooks.
Run it on a machine that reaches the site as visitors do. Each line begins with "ok", "note" or "FAILED", which has the
fix. The exit code is 1 if a check failed.`,
  options,
  run,
})
