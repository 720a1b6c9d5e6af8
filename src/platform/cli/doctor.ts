import { runDoctor } from '../../doctor/doctor.ts'
import { count } from '../count.ts'
import { type CommandContext, command, type Topic } from './command.ts'
import { database, existing, withStore } from './database.ts'
import { anyText, type Options, readApiKey, refuse } from './option.ts'
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

const options = {
  site: { metavar: 'URL', description: 'A page that embeds the chat', read: readAddress },
  'base-url': { metavar: 'URL', description: "The platform; default: that of the page's tag", read: readBaseUrl },
  bot: { metavar: 'BOT', description: "The bot; default: that of the page's tag", read: anyText },
  'token-url': {
    metavar: 'URL',
    description: "The token route, such as /chat-token; default: that of the page's tag",
    read: readTokenUrl,
  },
  'organization-token': {
    metavar: 'TOKEN',
    variable: 'NATTER_ORGANIZATION_TOKEN',
    variableOnly: true,
    description: "Organization token of the site's server, which is tried at NATTER_BASE_URL",
    read: readApiKey,
  },
  'server-base-url': {
    metavar: 'URL',
    variable: 'NATTER_BASE_URL',
    variableOnly: true,
    description: "The platform's address for this token; default: that of --base-url",
    read: readBaseUrl,
  },
  'server-bot': {
    metavar: 'BOT',
    variable: 'NATTER_BOT_ID',
    variableOnly: true,
    description: "The bot of the site's server; default: that of the page",
    read: anyText,
  },
  database: {
    metavar: 'DATABASE',
    description: "The platform's database: the webhooks of the bot are tried, too",
    read: database.read,
  },
  json,
} satisfies Options

/** How a line begins. */
const words = { ok: 'ok', note: 'note', failed: 'FAILED' }

async function run({ values, clock, printLine, stderr }: CommandContext<typeof options, 'site'>): Promise<void> {
  const counts = { ok: 0, note: 0, failed: 0 }
  const { site, 'base-url': baseUrl, bot: botId, 'token-url': tokenUrl } = values
  const token = values['organization-token']
  const server = token
    ? { token, baseUrl: values['server-base-url'] ?? baseUrl, botId: values['server-bot'] }
    : undefined
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
