import { runDoctor } from '../../doctor/doctor.ts'
import { count } from '../count.ts'
import { type CommandContext, command, type Topic } from './command.ts'
import { existing, readKept, withStore } from './database.ts'
import { anyText, option, readApiKey, refuse } from './option.ts'
import { json, oneLine } from './rows.ts'

const readAddress = (text: string): string =>
  /^https?:/.test(text) && URL.canParse(text) ? text : refuse('Must be an address such as https://shop.example.')

/** The requests of the API are below `/v1` of the platform's address, and its script is not. */
const readBaseUrl = (text: string): string =>
  /\/v1\/*$/.test(readAddress(text)) ? refuse('Must not end with /v1: it is the address before that.') : text

/** A path without a slash would depend on the page, so the widget refuses it, too. */
const readTokenUrl = (text: string): string =>
  /^(?:https?:\/\/|\/(?!\/))/.test(text) && URL.canParse(text, 'https://shop.example')
    ? text
    : refuse('Must be a path such as /chat-token, or an address.')

const options = [
  option('--site <URL>', 'A page that embeds the chat', readAddress),
  option('--base-url <URL>', "The platform; default: that of the page's tag", readBaseUrl),
  option('--bot <BOT>', "The bot; default: that of the page's tag", anyText),
  option('--token-url <URL>', "The token route, such as /chat-token; default: that of the page's tag", readTokenUrl),
  option(
    '--organization-token <TOKEN>',
    "Organization token of the site's server, which is tried at NATTER_BASE_URL",
    readApiKey,
    { env: 'NATTER_ORGANIZATION_TOKEN', variableOnly: true },
  ),
  option('--server-base-url <URL>', "The platform's address for this token; default: that of --base-url", readBaseUrl, {
    env: 'NATTER_BASE_URL',
    variableOnly: true,
  }),
  option('--server-bot <BOT>', "The bot of the site's server; default: that of the page", anyText, {
    env: 'NATTER_BOT_ID',
    variableOnly: true,
  }),
  option('--database <DATABASE>', "The platform's database: the webhooks of the bot are tried, too", readKept),
  json,
] as const

/** How a line begins. */
const words = { ok: 'ok', note: 'note', failed: 'FAILED' }

async function run({ values, clock, printLine, stderr }: CommandContext<typeof options, 'site'>): Promise<void> {
  const counts = { ok: 0, note: 0, failed: 0 }
  const { site, baseUrl, bot: botId, tokenUrl, organizationToken: token } = values
  const server = token ? { token, baseUrl: values.serverBaseUrl ?? baseUrl, botId: values.serverBot } : undefined
  const file = values.database === undefined ? undefined : existing(values.database)
  const findBot = file === undefined ? undefined : (id: string) => withStore(file, store => store.findBot(id))
  for await (const result of runDoctor({ site, baseUrl, botId, tokenUrl, server, findBot, fetch, now: clock.now })) {
    const { check, kind, found, fix } = result
    counts[kind]++
    const line = `${words[kind]} ${check}: ${found}${fix ? `. ${fix}` : ''}`
    printLine(values.json ? JSON.stringify({ check, ok: kind !== 'failed', kind, found, fix }) : oneLine(line))
  }
  if (!server)
    stderr(
      'The organization token was not tried. Set NATTER_BASE_URL, NATTER_BOT_ID and NATTER_ORGANIZATION_TOKEN as your server has them.\n',
    )
  const all = counts.ok + counts.failed
  if (counts.failed > 0) throw new Error(`${counts.failed} of ${count(all, 'check')} failed.`)
  stderr(`All ${all} checks are ok${counts.note > 0 ? `, with ${count(counts.note, 'note')}` : ''}.\n`)
}

export const doctor: Topic = {
  name: 'doctor',
  summary: 'Find out why the chat does not work on a site',
  note: `It tries the page, its Content Security Policy, the token route, and the platform from outside, as a browser does. It
sends no cookies, changes nothing and creates no session. With the variables of the site's server it also tries its
organization token. With --database, on the machine of the platform, it sends an unsigned request to the bot's webhooks.
Run it on a machine that reaches the site as visitors do.`,
  commands: [
    command({
      name: 'doctor',
      summary: 'Prints a line per check: ok, note, or FAILED with the fix; exit code 1 if any failed',
      required: ['site'],
      options,
      run,
    }),
  ],
}
