import { organizationTokenPattern } from '../contract/contactTokens.ts'
import { checkMaxRetries, checkTimeoutMs } from './callOptions.ts'
import { type Contacts, createContacts } from './contacts.ts'
import { type ContactTokens, createContactTokens } from './contactTokens.ts'
import { type Conversations, createConversations } from './conversations.ts'
import { type Connection, createEndpointCaller } from './request.ts'

/** Options of the client. The types allow `undefined` for environment variables; `createClient` throws for it. */
export interface ClientOptions {
  /** Address of the platform. It may have a path; a trailing slash is ignored. */
  baseUrl: string | undefined
  /** `o_…`, from `natter token create`. Keep it on the server: it must never reach a browser. */
  organizationToken: string | undefined
  /** The bot's id, from `natter bot list`. */
  botId: string | undefined
  /**
   * Time limit of each attempt of a call, including reading the response, in milliseconds. Also the longest
   * `Retry-After` that a retry waits for. Default: the platform's own limit and 5 s: 10 000, for an upsert 35 000, for a file
   * 305 000. A value that you set counts for all of them.
   */
  timeoutMs?: number | undefined
  /**
   * The most retries of a call after a temporary failure: a broken connection, a timeout, or status 408, 429, 502, 503 or
   * 504. A retry waits for the time in `Retry-After`, or else 150–300 ms, doubled for each further retry, at most 5 s.
   * Retries never repeat an effect. Default 2.
   */
  maxRetries?: number | undefined
  /** Replaces the global `fetch`, for example to use a proxy or to observe requests. */
  fetch?: Connection['fetch'] | undefined
}

/** The platform's organization endpoints, for one bot. */
export interface NatterClient {
  contacts: Contacts
  conversations: Conversations
  contactTokens: ContactTokens
}

/**
 * Creates a client for an organization's server (Node, Deno, Bun, edge). Throws if an option is invalid. Also throws in
 * a browser, where everyone could read the organization token.
 * @example
 * const client = createClient({
 *   baseUrl: 'https://chat.example',
 *   botId: process.env.NATTER_BOT_ID,
 *   organizationToken: process.env.NATTER_ORGANIZATION_TOKEN,
 * })
 * const ada = await client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
 */
export function createClient(options: ClientOptions): NatterClient {
  const { baseUrl, organizationToken, botId, timeoutMs, maxRetries = 2, fetch } = options
  refuseBrowser()
  const call = createEndpointCaller({
    baseUrl: checkBaseUrl(baseUrl),
    organizationToken: checkOrganizationToken(organizationToken),
    botId: checkBotId(botId),
    timeoutMs: timeoutMs === undefined ? undefined : checkTimeoutMs(timeoutMs),
    maxRetries: checkMaxRetries(maxRetries),
    // Look it up at each call, so that an application can replace the global one later.
    fetch: checkFetch(fetch ?? (request => globalThis.fetch(request))),
  })
  return {
    contacts: createContacts(call),
    conversations: createConversations(call),
    contactTokens: createContactTokens(call),
  }
}

function refuseBrowser(): void {
  const isPage = typeof document !== 'undefined'
  // Browser workers have no document. Server runtimes with `WorkerGlobalScope` have another user agent.
  const isWorker = 'WorkerGlobalScope' in globalThis && globalThis.navigator?.userAgent.startsWith('Mozilla/')
  if (!isPage && !isWorker) return
  throw new TypeError(
    'createClient: natter/sdk holds the organization token and must not run in a browser. Call it on your server and ' +
      'give the page a contact token (see tokenHandler).',
  )
}

/** Throws for an option that is not set, and names the environment variable that the guides read it from. */
function checkIsSet(name: string, value: unknown, variable: string, expected: string): void {
  if (value !== undefined && value !== '') return
  const state = value === '' ? 'empty' : 'undefined'
  throw new TypeError(`createClient: ${name} is ${state}: is ${variable} set (node --env-file=.env)? ${expected}`)
}

function checkBaseUrl(baseUrl: unknown): string {
  const expected = 'must be the http(s) address of the platform, such as https://chat.example'
  checkIsSet('baseUrl', baseUrl, 'NATTER_BASE_URL', `It ${expected}`)
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`createClient: baseUrl ${expected}`)
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('createClient: baseUrl must not contain a user name, password, query or fragment')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

// Error messages do not repeat the value: it may be a secret in the wrong variable.
function checkOrganizationToken(token: unknown): string {
  const advice = '`natter token create` creates one'
  checkIsSet('organizationToken', token, 'NATTER_ORGANIZATION_TOKEN', advice)
  if (typeof token === 'string' && organizationTokenPattern.test(token)) return token
  throw new TypeError(`createClient: organizationToken must be o_ and 43 characters, without "Bearer"; ${advice}`)
}

function checkBotId(botId: unknown): string {
  const advice = '`natter bot list` shows the ids of your bots'
  checkIsSet('botId', botId, 'NATTER_BOT_ID', advice)
  if (typeof botId === 'string') return botId
  throw new TypeError(`createClient: botId must be a string; ${advice}`)
}

function checkFetch(fetch: Connection['fetch']): Connection['fetch'] {
  if (typeof fetch === 'function') return fetch
  throw new TypeError('createClient: fetch must be a function of a Request')
}
