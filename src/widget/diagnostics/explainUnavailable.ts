/** Why a page gets nothing of a bot; `null` if it does by now, or if the visitor is offline. */
type Cause = 'refused' | 'unreachable' | { status: number } | null

/**
 * Asks the platform why a page gets nothing of a bot. `fetch` alone can't tell: a CORS failure looks like a lost
 * connection. Every origin may read the script, and a `no-cors` request shows that there is a response to it.
 */
async function findCause(baseUrl: string, botId: string): Promise<Cause> {
  const platform = withoutSlash(baseUrl)
  const request = (path: string, mode: RequestMode = 'cors') =>
    // A cached response would not show whether the platform works now.
    fetch(platform + path, { mode, credentials: 'omit', cache: 'no-store' }).catch(() => null)
  const bot = `/v1/bots/${encodeURIComponent(botId)}/widget`
  const [script, presence] = await Promise.all([request('/natter.js'), request(bot, 'no-cors')])
  const readable = await request(bot)
  if (readable) return readable.ok ? null : { status: readable.status }
  if (script?.ok && presence) return 'refused'
  return script || presence || navigator.onLine === false ? null : 'unreachable'
}

/** Resolves to whether the platform works but refuses this page's origin. */
export async function isOriginRefused(baseUrl: string, botId: string): Promise<boolean> {
  return (await findCause(baseUrl, botId)) === 'refused'
}

/** Explains in the console what the site's developer can do if the page gets nothing of its bot. */
export async function explainUnavailable(baseUrl: string, botId: string): Promise<void> {
  const cause = await findCause(baseUrl, botId)
  if (cause) console.warn(`Natter: ${explain(cause, withoutSlash(baseUrl), botId)}`)
}

function explain(cause: NonNullable<Cause>, platform: string, botId: string): string {
  if (cause === 'unreachable')
    return `${platform} can't be reached from this page. Start the platform, correct the address, or look for what blocks it: a Content Security Policy, a certificate, a proxy.`
  if (cause === 'refused')
    return location.protocol === 'file:'
      ? 'This page is a file. Serve it over http, such as http://localhost:3000.'
      : `${platform} answers, but not to pages of ${location.origin}. Where it runs, allow them:\nnatter bot update ${botId} --add-origin ${location.origin}`
  return cause.status === 404
    ? `${platform} has no bot ${botId}. Correct the bot's id: \`natter bot list\` shows the ids.`
    : `${platform} answers ${cause.status} for the bot ${botId}. See the log of the platform or of its proxy.`
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')
