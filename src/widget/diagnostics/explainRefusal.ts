/**
 * Whether the platform answers, but not to pages of this origin: browsers tell scripts no more of that than of a lost
 * connection. Rejects where it is something else that fails.
 */
export async function isOriginRefused(baseUrl: string, botId: string): Promise<boolean> {
  const platform = baseUrl.replace(/\/+$/, '')
  const ask = (path: string, mode: RequestMode = 'cors') =>
    // Not out of the cache, which knows nothing of how things are now.
    fetch(platform + path, { mode, credentials: 'omit', cache: 'no-store' })
  const bot = `/v1/bots/${encodeURIComponent(botId)}/widget`
  // The script may be read by any site, and that there is an answer shows even where it may not be read.
  const [{ ok }] = await Promise.all([ask('/natter.js'), ask(bot, 'no-cors')])
  const isRead = await ask(bot).catch(() => null)
  return ok && !isRead
}

/** Says in the console what the site's owner can do where the platform refuses this page's origin. */
export async function explainRefusal(baseUrl: string, botId: string): Promise<void> {
  if (!(await isOriginRefused(baseUrl, botId))) return
  const { origin } = location
  console.error(
    `Natter: ${baseUrl.replace(/\/+$/, '')} answers, but not to pages of ${origin}. Where it runs, allow them:\n` +
      `natter bot update ${botId} --origin ${origin}\n(Repeat --origin for each site that the bot has already.)`,
  )
}
