import { organizationTokenPattern } from '../contract/index.ts'
import { type Contacts, createContacts } from './contacts.ts'
import { type ContactTokens, createContactTokens } from './contactTokens.ts'
import { type Connection, createCall } from './request.ts'

/** How the client reaches the platform. `undefined` is taken so that environment variables fit; it throws. */
export interface ClientOptions {
  /** Address of the platform; a path is kept, a trailing slash does no harm. */
  baseUrl: string | undefined
  /** `o_…`, from `natter token create`. Only for servers: never let it reach a browser. */
  organizationToken: string | undefined
  /** The bot's id, from `natter bot list`. */
  botId: string | undefined
  /** Stands in for the global `fetch`, to go through a proxy or to observe requests. */
  fetch?: Connection['fetch']
}

/** The platform's organization endpoints, for one bot. */
export interface NatterClient {
  contacts: Contacts
  auth: { contacts: ContactTokens }
}

/**
 * Creates a client for an organization's server (Node, Deno, Bun, edge). Throws at once where an option can't be right,
 * and in a browser, since everyone could read the organization token there.
 * @example
 * const client = createClient({
 *   baseUrl: 'https://chat.example',
 *   botId: process.env.NATTER_BOT_ID,
 *   organizationToken: process.env.NATTER_ORGANIZATION_TOKEN,
 * })
 * const ada = await client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
 */
export function createClient({ baseUrl, organizationToken, botId, fetch }: ClientOptions): NatterClient {
  refuseBrowser()
  const call = createCall({
    baseUrl: checkBaseUrl(baseUrl),
    organizationToken: checkOrganizationToken(organizationToken),
    botId: checkBotId(botId),
    // Looked up at each call, so that what an application puts in place of the global one later counts.
    fetch: fetch ?? (request => globalThis.fetch(request)),
  })
  return { contacts: createContacts(call), auth: { contacts: createContactTokens(call) } }
}

function refuseBrowser(): void {
  const isPage = typeof document !== 'undefined'
  // A browser's workers have no document; server runtimes with a worker's global scope call themselves otherwise.
  const isWorker = 'WorkerGlobalScope' in globalThis && globalThis.navigator?.userAgent.startsWith('Mozilla/')
  if (!isPage && !isWorker) return
  throw new TypeError(
    'createClient: natter/sdk holds the organization token and must not run in a browser. Call it on your server and ' +
      'hand the page a contact token (see tokenHandler).',
  )
}

function checkBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'createClient: baseUrl must be the http(s) address of the platform, such as https://chat.example',
    )
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('createClient: baseUrl must hold no user name, password, query or fragment; remove it')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

// No message repeats the value: it may be a secret that landed in the wrong variable.
function checkOrganizationToken(token: unknown): string {
  if (typeof token === 'string' && organizationTokenPattern.test(token)) return token
  throw new TypeError(
    token === undefined || token === ''
      ? 'createClient: organizationToken is missing; is its environment variable set? `natter token create` makes one'
      : 'createClient: organizationToken must be o_ and 43 characters, without "Bearer"; `natter token create` makes one',
  )
}

function checkBotId(botId: unknown): string {
  if (typeof botId === 'string' && botId !== '') return botId
  throw new TypeError('createClient: botId is missing; `natter bot list` shows the ids of your bots')
}
