import { maxAgentPauseMs } from '../../contract/index.ts'
import { readNatsAddress } from '../bus/natsAddress.ts'
import { defaultTurnLimits } from '../domain/turnLimits.ts'
import { parseNetworks } from '../middleware/clientAddress.ts'
import { defaultSessionLimits } from '../middleware/sessionLimits.ts'
import { defaultStreamLimits } from '../realtime/streams.ts'
import { openaiUrl } from '../responders/openaiKey.ts'
import { parseEncryptionKeys } from '../secrets/secretCipher.ts'
import { isPostgres, readAddress } from '../store/postgres/address.ts'
import { maxSessionsPerMinute, maxTurnsPerMinute } from './botSettings.ts'
import { readFolder } from './folder.ts'
import { nearest } from './nearest.ts'
import { type Environment, isValued, type Options, oneOf, readApiKey, refuse, wholeNumber } from './option.ts'
import { readUrl } from './readUrl.ts'

const minute = 60_000
const port = wholeNumber(0, 65_535, 'a number from 0 (picks a free one) to 65535')

/**
 * All settings of `natter serve`, for the parser, the help and the test of the guide's table.
 */
export const serveOptions = {
  host: {
    metavar: 'HOST',
    variable: 'NATTER_HOST',
    default: '127.0.0.1',
    description: 'Address to listen on; 0.0.0.0 for all interfaces',
    read: text => text.trim() || refuse('Must be an address of this machine, such as 127.0.0.1 or 0.0.0.0.'),
  },
  port: {
    metavar: 'PORT',
    variable: 'NATTER_PORT',
    default: '8787',
    description: 'Port to listen on; 0 picks a free one',
    read: port,
  },
  database: {
    metavar: 'DATABASE',
    variable: 'NATTER_DATABASE',
    default: './natter.db',
    description: 'The database: a file, `:memory:` for a temporary one, or `postgres://…`',
    read: readDatabase,
  },
  'nats-url': {
    metavar: 'URL',
    variable: 'NATTER_NATS_URL',
    description: 'The message bus between nodes, `nats://…`; without one they poll the database every 800 ms',
    read: readNatsUrl,
  },
  content: {
    metavar: 'FOLDER',
    variable: 'NATTER_CONTENT',
    description: 'Markdown files that the bots answer from',
    read: readFolder,
  },
  'rate-limit': {
    metavar: 'N',
    variable: 'NATTER_RATE_LIMIT',
    default: '3600',
    description: 'Requests per minute per organization token; 0 turns all rate limits off',
    read: wholeNumber(0, 1_000_000_000),
  },
  'turns-per-minute': {
    metavar: 'N',
    variable: 'NATTER_TURNS_PER_MINUTE',
    default: String(defaultTurnLimits.turnsPerMinute),
    description: 'Replies of the responder per minute, for bots without a limit of their own',
    read: wholeNumber(1, maxTurnsPerMinute),
  },
  'conversation-turns-per-minute': {
    metavar: 'N',
    variable: 'NATTER_CONVERSATION_TURNS_PER_MINUTE',
    default: String(defaultTurnLimits.conversationTurnsPerMinute),
    description: 'Replies per minute in one conversation, for bots without a limit of their own',
    read: wholeNumber(1, maxTurnsPerMinute),
  },
  'sessions-per-minute': {
    metavar: 'N',
    variable: 'NATTER_SESSIONS_PER_MINUTE',
    default: String(defaultSessionLimits.sessionsPerMinute),
    description: 'New anonymous sessions per minute, for bots without a limit of their own',
    read: wholeNumber(1, maxSessionsPerMinute),
  },
  'address-sessions-per-minute': {
    metavar: 'N',
    variable: 'NATTER_ADDRESS_SESSIONS_PER_MINUTE',
    default: String(defaultSessionLimits.addressSessionsPerMinute),
    description: 'New anonymous sessions per minute from one address',
    read: wholeNumber(1, maxSessionsPerMinute),
  },
  streams: {
    metavar: 'N',
    variable: 'NATTER_STREAMS',
    default: String(defaultStreamLimits.streams),
    description: 'Open event streams of this node',
    read: wholeNumber(1, 1_000_000),
  },
  'address-streams': {
    metavar: 'N',
    variable: 'NATTER_ADDRESS_STREAMS',
    default: String(defaultStreamLimits.addressStreams),
    description: 'Open event streams from one address on this node',
    read: wholeNumber(1, 1_000_000),
  },
  'trusted-proxies': {
    metavar: 'LIST',
    variable: 'NATTER_TRUSTED_PROXIES',
    description: 'Addresses and networks of trusted proxies, such as `127.0.0.1,10.0.0.0/8`',
    read: readNetworks,
  },
  drain: {
    metavar: 'SECONDS',
    variable: 'NATTER_DRAIN',
    default: '5',
    description: 'How long a stopping node on PostgreSQL keeps serving while its streams move to other nodes',
    read: wholeNumber(0, 7, 'whole seconds from 0 to 7: the server ends within 10'),
  },
  'agent-pause': {
    metavar: 'MINUTES',
    variable: 'NATTER_AGENT_PAUSE',
    default: '30',
    description: "How long an agent's message pauses the responder",
    read: wholeNumber(0, maxAgentPauseMs / minute, 'whole minutes from 0 (not at all) to 10080 (a week)'),
  },
  'handover-timeout': {
    metavar: 'MINUTES',
    variable: 'NATTER_HANDOVER_TIMEOUT',
    default: '30',
    description:
      'How long a visitor who was handed over to the team waits for an agent until the responder answers again',
    read: wholeNumber(1, maxAgentPauseMs / minute, 'whole minutes from 1 to 10080 (a week)'),
  },
  'unread-after': {
    metavar: 'MINUTES',
    variable: 'NATTER_UNREAD_AFTER',
    default: '10',
    description: 'How long messages are unread before `message.unread` tells of a contact who is away',
    read: wholeNumber(1, 10_080, 'whole minutes from 1 to 10080 (a week)'),
  },
  'retention-days': {
    metavar: 'DAYS',
    variable: 'NATTER_RETENTION_DAYS',
    description: "Delete a conversation's messages after this many days without a new one; default: never",
    read: wholeNumber(1, 36_500, 'whole days from 1 to 36500'),
  },
  metrics: {
    metavar: 'WHO',
    variable: 'NATTER_METRICS',
    default: 'local',
    description: 'Who can read `/metrics`: `local` (this machine and trusted proxies themselves), `all`, `off`',
    read: oneOf('local', 'all', 'off'),
  },
  egress: {
    metavar: 'WHERE',
    variable: 'NATTER_EGRESS',
    default: 'any',
    description:
      'Where webhooks and `openai` endpoints may be: `any`, or `public` to refuse private and loopback addresses; link-local and cloud metadata addresses are always refused',
    read: oneOf('any', 'public'),
  },
  'log-level': {
    metavar: 'LEVEL',
    variable: 'NATTER_LOG_LEVEL',
    default: 'info',
    description: 'What is logged: `info` (every request), `warn`, `error`',
    read: oneOf('info', 'warn', 'error'),
  },
  'openai-api-key': {
    metavar: 'KEY',
    variable: 'NATTER_OPENAI_API_KEY',
    variableOnly: true,
    description: 'API key of `openai` bots without a key of their own, sent to NATTER_OPENAI_BASE_URL only',
    read: readApiKey,
  },
  'openai-key-base-url': {
    metavar: 'URL',
    variable: 'NATTER_OPENAI_BASE_URL',
    variableOnly: true,
    default: openaiUrl,
    description: `The base URL that NATTER_OPENAI_API_KEY is for; default ${openaiUrl}`,
    read: readUrl,
  },
  'encryption-keys': {
    metavar: 'KEYS',
    variable: 'NATTER_ENCRYPTION_KEYS',
    variableOnly: true,
    description:
      'Encrypts stored webhook secrets and API keys: `ID:KEY`, or several separated by commas; the first one encrypts',
    read: readEncryptionKeys,
  },
  dev: {
    description:
      'Create an organization and a bot with files, ratings and talking to a person if there are none, print a new organization token (those of earlier --dev starts are revoked), let pages on localhost embed the bot, and read changed content at once',
  },
  'write-env': {
    metavar: 'FILE',
    description:
      "With --dev: write your server's three variables into this file, such as .env, and keep its token at later starts",
    read: text => text,
  },
  json: { description: 'Print {"baseUrl","botId","organizationToken"} as one line when the server accepts requests' },
} satisfies Options

const prefix = 'NATTER_'

/** Variables of other programs: an organization's server and the tests. */
const others =
  /^NATTER_(?:BASE_URL|BOT_ID|ORGANIZATION_TOKEN|EVENTS_SECRET|RESPONDER_SECRET|CHROMIUM|FIREFOX|WEBKIT|BUN|DENO|NATS|TEST_.*)$/

/** A warning for each unknown `NATTER_*` variable: a misspelt one would be silently ignored. */
export function unknownVariables(environment: Environment): string[] {
  const known = Object.values(serveOptions).flatMap(option => (isValued(option) ? (option.variable ?? []) : []))
  return Object.keys(environment)
    .filter(name => name.startsWith(prefix) && !others.test(name) && !known.includes(name))
    .sort()
    .map(name => {
      // All names begin alike, which says nothing about how near they are.
      const [word = '', ...words] = [name, ...known].map(each => each.slice(prefix.length))
      const near = nearest(word, words)
      const advice = near ? `did you mean ${prefix}${near}?` : '"natter serve --help" lists them.'
      return `${name} is not a variable of Natter: ${advice}`
    })
}

function readEncryptionKeys(text: string): string {
  try {
    parseEncryptionKeys(text)
    return text
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function readDatabase(text: string): string {
  if (text === '') return refuse('Must be the path of a file, or postgres://user:password@host:5432/database.')
  // Another kind of address would be taken for a file name, and errors would show it, perhaps with a password.
  if (!isPostgres(text))
    return /^[a-z][a-z+]+:\/\//i.test(text) || /^postgres(ql)?:/i.test(text)
      ? refuse('Must be the path of a file, or postgres://user:password@host:5432/database.')
      : text
  try {
    readAddress(text)
    return text
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function readNatsUrl(text: string): string {
  try {
    readNatsAddress(text)
    return text
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function readNetworks(text: string): string[] {
  const networks = text.split(',').map(part => part.trim())
  try {
    parseNetworks(networks)
    return networks
  } catch {
    return refuse('Must be addresses or networks separated by commas, such as 127.0.0.1,10.0.0.0/8.')
  }
}
