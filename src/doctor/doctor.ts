import type { Bot } from '../platform/store/store.ts'
import { type ChatTag, checkTag, findWrongAddress, readChatTag } from './chatTag.ts'
import { attempt, type CheckResult, type DoctorTarget, failed, ok, request } from './check.ts'
import { checkOrganizationToken, type SiteServer } from './organizationToken.ts'
import { readPage } from './page.ts'
import { checkClock, checkHealth, checkOrigin, checkScript, checkStream } from './platformChecks.ts'
import { checkPolicy, checkSecrets, checkTls } from './siteChecks.ts'
import { checkTokenRoute, noTokenRoute } from './tokenRoute.ts'
import { checkWebhook, unknownBot, webhooksOf } from './webhookChecks.ts'

export interface DoctorOptions {
  /** A page of the site. */
  site: string
  /** The platform's address. Default: that of the script's tag. */
  baseUrl?: string | undefined
  /** Default: the bot of the script's tag. */
  botId?: string | undefined
  /** The token route, also as a path. Default: that of the script's tag. */
  tokenUrl?: string | undefined
  /** Whose organization token to try. Default: none. */
  server?: SiteServer | undefined
  /** Finds the bot, whose webhooks are then tried. Default: none are. */
  findBot?: ((id: string) => Promise<Bot | null>) | undefined
  fetch: typeof fetch
  now(): number
}

/** Tries from outside what usually goes wrong between a site and its platform. Changes nothing, and makes no session. */
export const runDoctor = (options: DoctorOptions): AsyncGenerator<CheckResult> => attempt('page', examine(options))

async function* examine(options: DoctorOptions): AsyncGenerator<CheckResult> {
  const { site } = options
  const response = await request(options, site, { redirect: 'follow' })
  if (!response.ok) {
    const fix = 'Name a page that visitors can open, with --site.'
    return yield failed('page', `${site} answers ${response.status}`, fix)
  }
  const page = await readPage(response, site)
  yield ok('page', `${site} answers`)
  const wrongAddress = findWrongAddress(page)
  if (wrongAddress) return yield wrongAddress
  const tag = readChatTag(page)
  yield* checkTag(tag)
  const target = targetOf(tag, options)
  if (!target) {
    // Of a tag without a bot, the line above says enough.
    if (!tag)
      yield failed('tag', 'nothing in the page says which bot and which platform it uses', 'Add --base-url and --bot.')
    return
  }
  yield* checkPolicy(page, target)
  yield await checkSecrets(page, target)
  yield* checkTls(target)
  if (target.tokenUrl) yield* attempt('token-route', checkTokenRoute(target, target.tokenUrl))
  else if (!tag?.attributes['data-token-url']) yield noTokenRoute(tag !== undefined)
  const bot = await options.findBot?.(target.botId)
  if (bot === null) yield unknownBot(target.botId)
  if (bot) for (const [check, url] of webhooksOf(bot)) yield* attempt(check, checkWebhook(target, check, url))
  const version = yield* attempt('health', checkHealth(target))
  // If the platform does not answer, all of the other checks would fail for the same reason.
  if (version === undefined) return
  yield* attempt('script', checkScript(target, version))
  yield* attempt('origin', checkOrigin(target))
  if (options.server) yield* attempt('organization-token', checkOrganizationToken(target, options.server))
  yield* attempt('stream', checkStream(target))
  yield* attempt('clock', checkClock(target))
}

function targetOf(tag: ChatTag | undefined, options: DoctorOptions): DoctorTarget | null {
  const { site, fetch, now } = options
  const baseUrl = options.baseUrl ?? tag?.options.baseUrl
  const botId = options.botId ?? tag?.options.botId
  const path = options.tokenUrl ?? tag?.options.tokenUrl
  const tokenUrl = path ? new URL(path, site).href : undefined
  if (!baseUrl || !botId) return null
  return { site, baseUrl: new URL(baseUrl, site).href.replace(/\/+$/, ''), botId, tokenUrl, fetch, now }
}
