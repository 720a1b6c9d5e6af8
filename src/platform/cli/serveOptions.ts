import { maxAgentPauseMs } from '../../contract/index.ts'
import { readNatsAddress } from '../bus/natsAddress.ts'
import { defaultTurnLimits } from '../domain/turnLimits.ts'
import { readSender, readSmtpUrl } from '../email/mailer.ts'
import { parseNetworks } from '../http/clientAddress.ts'
import { defaultSessionLimits } from '../http/sessionLimits.ts'
import { defaultStreamLimits } from '../realtime/streams.ts'
import { openaiUrl } from '../responders/openai.ts'
import { parseEncryptionKeys } from '../secrets/secretCipher.ts'
import { isPostgres, readAddress } from '../store/postgres/address.ts'
import {
  accepted,
  option,
  readApiKey,
  readContentUrl,
  readFolder,
  readUrl,
  refuse,
  variableOnly,
  wholeNumber,
} from './option.ts'

const minute = 60_000

/** Each reply counts the replies of the last minute. Counting more of them would take too much of the writer's time. */
export const maxTurnsPerMinute = 3000
export const maxSessionsPerMinute = 1_000_000

export const content = option('--content <FOLDER>', 'Markdown files that the bots answer from')
  .argParser(readFolder)
  .env('NATTER_CONTENT')
export const contentUrl = option(
  '--content-url <URL>',
  'The https address below which the pages of these files are: help/returns.md is the page help/returns',
)
  .argParser(readContentUrl)
  .env('NATTER_CONTENT_URL')
export const handoverTimeout = option(
  '--handover-timeout <MINUTES>',
  'How long a visitor waits who was handed over; then the bot answers again',
)
  .argParser(wholeNumber(1, maxAgentPauseMs / minute, 'whole minutes from 1 to 10080 (a week)'))
  .default(30)
  .env('NATTER_HANDOVER_TIMEOUT')
export const openaiApiKey = option('--openai-api-key <KEY>', 'API key of openai bots without a key of their own')
  .argParser(readApiKey)
  .env('NATTER_OPENAI_API_KEY')
  .helpGroup(variableOnly)
export const openaiKeyBaseUrl = option('--openai-key-base-url <URL>', 'The only base URL that this key is sent to')
  .argParser(readUrl)
  .default(openaiUrl)
  .env('NATTER_OPENAI_BASE_URL')
  .helpGroup(variableOnly)
export const encryptionKeys = option(
  '--encryption-keys <KEYS>',
  'Encrypts stored webhook secrets and API keys: ID:KEY, or several separated by commas; the first one encrypts',
)
  .argParser(accepted(parseEncryptionKeys))
  .env('NATTER_ENCRYPTION_KEYS')
  .helpGroup(variableOnly)

const smtpUrl = option('--smtp-url <URL>', 'The SMTP server that sends emails, smtps://user:password@host')
  .argParser(accepted(readSmtpUrl))
  .env('NATTER_SMTP_URL')
  .helpGroup(variableOnly)

const oidcClientSecret = option('--oidc-client-secret <SECRET>', 'Secret of the client at the OpenID Connect provider')
  .argParser(readApiKey)
  .env('NATTER_OIDC_CLIENT_SECRET')
  .helpGroup(variableOnly)

/** All settings of `natter serve`, for the parser, the help and the test of the guide's table. */
export const serveOptions = [
  option('--host <HOST>', 'Address to listen on; 0.0.0.0 for all interfaces')
    .argParser(text => text.trim() || refuse('Must be an address of this machine, such as 127.0.0.1 or 0.0.0.0.'))
    .default('127.0.0.1')
    .env('NATTER_HOST'),
  option('--port <PORT>', 'Port to listen on; 0 picks a free one')
    .argParser(wholeNumber(0, 65_535, 'a number from 0 (picks a free one) to 65535'))
    .default(8787)
    .env('NATTER_PORT'),
  option('--base-url <URL>', "The platform's public address, where people open the desk; default: this machine")
    .argParser(readUrl)
    .env('NATTER_BASE_URL'),
  option('--email-from <SENDER>', 'The sender of emails: an address, or a name and <an address>')
    .argParser(accepted(readSender))
    .env('NATTER_EMAIL_FROM'),
  option('--oidc-issuer <URL>', 'The OpenID Connect provider with which people sign in at the desk; default: passwords')
    .argParser(readUrl)
    .env('NATTER_OIDC_ISSUER'),
  option('--oidc-client-id <ID>', 'The client that is registered there').env('NATTER_OIDC_CLIENT_ID'),
  option('--oidc-passwords <BOOLEAN>', 'Whether people may have passwords beside it')
    .choices(['true', 'false'])
    .env('NATTER_OIDC_PASSWORDS'),
  option('--nats-url <URL>', 'The message bus between nodes, nats://…; without one they poll the database every 800 ms')
    .argParser(accepted(readNatsAddress))
    .env('NATTER_NATS_URL'),
  content,
  contentUrl,
  option('--rate-limit <N>', 'Requests per minute per organization token; 0 turns all rate limits off')
    .argParser(wholeNumber(0, 1_000_000_000))
    .default(3600)
    .env('NATTER_RATE_LIMIT'),
  option('--turns-per-minute <N>', 'Replies of the responder per minute, for bots without a limit of their own')
    .argParser(wholeNumber(1, maxTurnsPerMinute))
    .default(defaultTurnLimits.turnsPerMinute)
    .env('NATTER_TURNS_PER_MINUTE'),
  option('--conversation-turns-per-minute <N>', 'The same for one conversation')
    .argParser(wholeNumber(1, maxTurnsPerMinute))
    .default(defaultTurnLimits.conversationTurnsPerMinute)
    .env('NATTER_CONVERSATION_TURNS_PER_MINUTE'),
  option('--sessions-per-minute <N>', 'New anonymous sessions per minute, for bots without a limit of their own')
    .argParser(wholeNumber(1, maxSessionsPerMinute))
    .default(defaultSessionLimits.sessionsPerMinute)
    .env('NATTER_SESSIONS_PER_MINUTE'),
  option('--address-sessions-per-minute <N>', 'New anonymous sessions per minute from one address')
    .argParser(wholeNumber(1, maxSessionsPerMinute))
    .default(defaultSessionLimits.addressSessionsPerMinute)
    .env('NATTER_ADDRESS_SESSIONS_PER_MINUTE'),
  option('--streams <N>', 'Open event streams of this node')
    .argParser(wholeNumber(1, 1_000_000))
    .default(defaultStreamLimits.streams)
    .env('NATTER_STREAMS'),
  option('--address-streams <N>', 'Open event streams from one address on this node')
    .argParser(wholeNumber(1, 1_000_000))
    .default(defaultStreamLimits.addressStreams)
    .env('NATTER_ADDRESS_STREAMS'),
  option('--trusted-proxies <LIST>', 'Addresses and networks of trusted proxies, such as 127.0.0.1,10.0.0.0/8')
    .argParser(readNetworks)
    .env('NATTER_TRUSTED_PROXIES'),
  option('--drain <SECONDS>', 'How long a stopping node on PostgreSQL keeps serving while its streams move elsewhere')
    .argParser(wholeNumber(0, 7, 'whole seconds from 0 to 7: the server ends within 10'))
    .default(5)
    .env('NATTER_DRAIN'),
  option('--agent-pause <MINUTES>', "How long an agent's message pauses the responder")
    .argParser(wholeNumber(0, maxAgentPauseMs / minute, 'whole minutes from 0 (not at all) to 10080 (a week)'))
    .default(30)
    .env('NATTER_AGENT_PAUSE'),
  handoverTimeout,
  option(
    '--unread-after <MINUTES>',
    'After how long message.unread and an email tell that a contact has not read a message',
  )
    .argParser(wholeNumber(1, 10_080, 'whole minutes from 1 to 10080 (a week)'))
    .default(10)
    .env('NATTER_UNREAD_AFTER'),
  option('--retention-days <DAYS>', "Delete a conversation's messages so long after the last one; default: never")
    .argParser(wholeNumber(1, 36_500, 'whole days from 1 to 36500'))
    .env('NATTER_RETENTION_DAYS'),
  option('--metrics <WHO>', 'Who can read /metrics; local: this machine and trusted proxies themselves')
    .choices(['local', 'all', 'off'])
    .default('local')
    .env('NATTER_METRICS'),
  option(
    '--egress <WHERE>',
    'Where webhooks and openai endpoints may be; public refuses private and loopback addresses; link-local and cloud metadata addresses are always refused',
  )
    .choices(['any', 'public'])
    .default('any')
    .env('NATTER_EGRESS'),
  option('--log-level <LEVEL>', 'What is logged; info: every request')
    .choices(['info', 'warn', 'error'])
    .default('info')
    .env('NATTER_LOG_LEVEL'),
  option(
    '--dev',
    'Create an organization and a bot with files, ratings and talking to a person if there are none, print a new organization token (those of earlier --dev starts are revoked), let pages on localhost embed the bot, and read changed content at once',
  ),
  option('--write-env <FILE>', "With --dev: write your server's variables into this file, and keep its token later"),
  option('--database <DATABASE>', 'The database: a file, :memory: for a temporary one, or postgres://…')
    .argParser(readDatabase)
    .default('./natter.db')
    .env('NATTER_DATABASE'),
  option('--json', 'Print {"baseUrl","botId","organizationToken"} as one line when the server accepts requests'),
  openaiApiKey,
  openaiKeyBaseUrl,
  encryptionKeys,
  oidcClientSecret,
  smtpUrl,
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
