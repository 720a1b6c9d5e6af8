/**
 * Resolves to whether the platform works but refuses this page's origin. `fetch` alone can't tell: a CORS failure looks
 * like a lost connection. Rejects if requests fail for another reason.
 */
export async function isOriginRefused(baseUrl: string, botId: string): Promise<boolean> {
  const platform = baseUrl.replace(/\/+$/, '')
  const request = (path: string, mode: RequestMode = 'cors') =>
    // A cached response would not show whether the platform works now.
    fetch(platform + path, { mode, credentials: 'omit', cache: 'no-store' })
  const bot = `/v1/bots/${encodeURIComponent(botId)}/widget`
  // Every origin may read the script. A `no-cors` request shows that there is a response, even if it may not be read.
  const [{ ok }] = await Promise.all([request('/natter.js'), request(bot, 'no-cors')])
  const readable = await request(bot).catch(() => null)
  return ok && !readable
}

/** If the platform refuses this page's origin, explains in the console what the site's developer can do. */
export async function explainRefusal(baseUrl: string, botId: string): Promise<void> {
  if (!(await isOriginRefused(baseUrl, botId))) return
  const { origin } = location
  console.error(
    `Natter: ${baseUrl.replace(/\/+$/, '')} answers, but not to pages of ${origin}. Where it runs, allow them:\n` +
      `natter bot update ${botId} --add-origin ${origin}`,
  )
}
