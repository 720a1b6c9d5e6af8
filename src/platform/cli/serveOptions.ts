import { maxAgentPauseMs } from '../../contract/index.ts'
import { readNatsAddress } from '../bus/natsAddress.ts'
import { defaultTurnLimits } from '../domain/turnLimits.ts'
import { parseNetworks } from '../http/clientAddress.ts'
import { defaultSessionLimits } from '../http/sessionLimits.ts'
import { defaultStreamLimits } from '../realtime/streams.ts'
import { openaiUrl } from '../responders/openai.ts'
import { parseEncryptionKeys } from '../secrets/secretCipher.ts'
import { isPostgres, readAddress } from '../store/postgres/address.ts'
import {
  accepted,
  anyText,
  choice,
  flag,
  option,
  readApiKey,
  readFolder,
  readUrl,
  refuse,
  wholeNumber,
} from './option.ts'

const minute = 60_000

/** Each reply counts the replies of the last minute. Counting more of them would take too much of the writer's time. */
export const maxTurnsPerMinute = 3000
export const maxSessionsPerMinute = 1_000_000

export const serverDatabase = option(
  '--database <DATABASE>',
  'The database: a file, :memory: for a temporary one, or postgres://…',
  readDatabase,
  { env: 'NATTER_DATABASE', default: './natter.db' },
)
export const content = option('--content <FOLDER>', 'Markdown files that the bots answer from', readFolder, {
  env: 'NATTER_CONTENT',
})
export const openaiApiKey = option(
  '--openai-api-key <KEY>',
  'API key of openai bots without a key of their own, sent to NATTER_OPENAI_BASE_URL only',
  readApiKey,
  { env: 'NATTER_OPENAI_API_KEY', variableOnly: true },
)
export const openaiKeyBaseUrl = option(
  '--openai-key-base-url <URL>',
  `The base URL that NATTER_OPENAI_API_KEY is for; default ${openaiUrl}`,
  readUrl,
  { env: 'NATTER_OPENAI_BASE_URL', default: openaiUrl, variableOnly: true },
)
export const encryptionKeys = option(
  '--encryption-keys <KEYS>',
  'Encrypts stored webhook secrets and API keys: ID:KEY, or several separated by commas; the first one encrypts',
  accepted(parseEncryptionKeys),
  { env: 'NATTER_ENCRYPTION_KEYS', variableOnly: true },
)

/** All settings of `natter serve`, for the parser, the help and the test of the guide's table. */
export const serveOptions = [
  option(
    '--host <HOST>',
    'Address to listen on; 0.0.0.0 for all interfaces',
    text => text.trim() || refuse('Must be an address of this machine, such as 127.0.0.1 or 0.0.0.0.'),
    { env: 'NATTER_HOST', default: '127.0.0.1' },
  ),
  option(
    '--port <PORT>',
    'Port to listen on; 0 picks a free one',
    wholeNumber(0, 65_535, 'a number from 0 (picks a free one) to 65535'),
    { env: 'NATTER_PORT', default: 8787 },
  ),
  serverDatabase,
  option(
    '--nats-url <URL>',
    'The message bus between nodes, nats://…; without one they poll the database every 800 ms',
    accepted(readNatsAddress),
    { env: 'NATTER_NATS_URL' },
  ),
  content,
  option(
    '--rate-limit <N>',
    'Requests per minute per organization token; 0 turns all rate limits off',
    wholeNumber(0, 1_000_000_000),
    { env: 'NATTER_RATE_LIMIT', default: 3600 },
  ),
  option(
    '--turns-per-minute <N>',
    'Replies of the responder per minute, for bots without a limit of their own',
    wholeNumber(1, maxTurnsPerMinute),
    { env: 'NATTER_TURNS_PER_MINUTE', default: defaultTurnLimits.turnsPerMinute },
  ),
  option(
    '--conversation-turns-per-minute <N>',
    'Replies per minute in one conversation, for bots without a limit of their own',
    wholeNumber(1, maxTurnsPerMinute),
    { env: 'NATTER_CONVERSATION_TURNS_PER_MINUTE', default: defaultTurnLimits.conversationTurnsPerMinute },
  ),
  option(
    '--sessions-per-minute <N>',
    'New anonymous sessions per minute, for bots without a limit of their own',
    wholeNumber(1, maxSessionsPerMinute),
    { env: 'NATTER_SESSIONS_PER_MINUTE', default: defaultSessionLimits.sessionsPerMinute },
  ),
  option(
    '--address-sessions-per-minute <N>',
    'New anonymous sessions per minute from one address',
    wholeNumber(1, maxSessionsPerMinute),
    { env: 'NATTER_ADDRESS_SESSIONS_PER_MINUTE', default: defaultSessionLimits.addressSessionsPerMinute },
  ),
  option('--streams <N>', 'Open event streams of this node', wholeNumber(1, 1_000_000), {
    env: 'NATTER_STREAMS',
    default: defaultStreamLimits.streams,
  }),
  option('--address-streams <N>', 'Open event streams from one address on this node', wholeNumber(1, 1_000_000), {
    env: 'NATTER_ADDRESS_STREAMS',
    default: defaultStreamLimits.addressStreams,
  }),
  option(
    '--trusted-proxies <LIST>',
    'Addresses and networks of trusted proxies, such as 127.0.0.1,10.0.0.0/8',
    readNetworks,
    { env: 'NATTER_TRUSTED_PROXIES' },
  ),
  option(
    '--drain <SECONDS>',
    'How long a stopping node on PostgreSQL keeps serving while its streams move to other nodes',
    wholeNumber(0, 7, 'whole seconds from 0 to 7: the server ends within 10'),
    { env: 'NATTER_DRAIN', default: 5 },
  ),
  option(
    '--agent-pause <MINUTES>',
    "How long an agent's message pauses the responder",
    wholeNumber(0, maxAgentPauseMs / minute, 'whole minutes from 0 (not at all) to 10080 (a week)'),
    { env: 'NATTER_AGENT_PAUSE', default: 30 },
  ),
  option(
    '--handover-timeout <MINUTES>',
    'How long a visitor who was handed over to the team waits for an agent until the responder answers again',
    wholeNumber(1, maxAgentPauseMs / minute, 'whole minutes from 1 to 10080 (a week)'),
    { env: 'NATTER_HANDOVER_TIMEOUT', default: 30 },
  ),
  option(
    '--unread-after <MINUTES>',
    'How long messages are unread before message.unread tells of a contact who is away',
    wholeNumber(1, 10_080, 'whole minutes from 1 to 10080 (a week)'),
    { env: 'NATTER_UNREAD_AFTER', default: 10 },
  ),
  option(
    '--retention-days <DAYS>',
    "Delete a conversation's messages after this many days without a new one; default: never",
    wholeNumber(1, 36_500, 'whole days from 1 to 36500'),
    { env: 'NATTER_RETENTION_DAYS' },
  ),
  choice(
    '--metrics <WHO>',
    'Who can read /metrics: local (this machine and trusted proxies themselves), all, off',
    ['local', 'all', 'off'],
    { env: 'NATTER_METRICS', default: 'local' },
  ),
  choice(
    '--egress <WHERE>',
    'Where webhooks and openai endpoints may be: any, or public to refuse private and loopback addresses; link-local and cloud metadata addresses are always refused',
    ['any', 'public'],
    { env: 'NATTER_EGRESS', default: 'any' },
  ),
  choice('--log-level <LEVEL>', 'What is logged: info (every request), warn, error', ['info', 'warn', 'error'], {
    env: 'NATTER_LOG_LEVEL',
    default: 'info',
  }),
  openaiApiKey,
  openaiKeyBaseUrl,
  encryptionKeys,
  flag(
    '--dev',
    'Create an organization and a bot with files, ratings and talking to a person if there are none, print a new organization token (those of earlier --dev starts are revoked), let pages on localhost embed the bot, and read changed content at once',
  ),
  option(
    '--write-env <FILE>',
    "With --dev: write your server's three variables into this file, such as .env, and keep its token at later starts",
    anyText,
  ),
  flag('--json', 'Print {"baseUrl","botId","organizationToken"} as one line when the server accepts requests'),
] as const

export function readDatabase(text: string): string {
  // Another kind of address would be taken for a file name, and errors would show it, perhaps with a password.
  const isFile = text !== '' && !/^[a-z][a-z+]+:\/\//i.test(text) && !/^postgres(ql)?:/i.test(text)
  if (isPostgres(text)) return accepted(readAddress)(text)
  return isFile ? text : refuse('Must be the path of a file, or postgres://user:password@host:5432/database.')
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
