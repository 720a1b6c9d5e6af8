import { type CheckResult, type DoctorTarget, failed, ok, request } from './check.ts'

/** What the site's server calls the platform with. */
export interface SiteServer {
  token: string
  /** The platform's address as the site's server knows it. The token is sent nowhere else. */
  baseUrl: string | undefined
  botId: string | undefined
}

const check = 'organization-token'

/** Tries the organization token of the site's server, with a search that finds nobody. */
export async function checkOrganizationToken(target: DoctorTarget, server: SiteServer): Promise<CheckResult> {
  const { token, baseUrl, botId = target.botId } = server
  // The page's tag names an address, too, but a page must not decide who gets the token.
  if (!baseUrl) return failed(check, 'it was not tried', "Set NATTER_BASE_URL, too: the platform's address for it.")
  if (botId !== target.botId)
    return failed(check, `NATTER_BOT_ID is ${botId}, and the bot of the page ${target.botId}`, 'Use the same bot.')
  const url = `${baseUrl.replace(/\/+$/, '')}/v1/bots/${encodeURIComponent(botId)}/contacts?email=nobody@natter.invalid`
  const response = await request(target, url, { headers: { authorization: `Bearer ${token}` } })
  await response.body?.cancel()
  if (response.ok) return ok(check, `${baseUrl} accepts it for this bot`)
  const advice: Record<number, string> = {
    401: 'It was revoked, or belongs to another platform. A token of "natter serve --dev" ends at the next start, unless --write-env keeps it. Create one: natter token create --organization ORG_ID.',
    403: 'Use an organization token, which begins with "o_".',
    404: "The bot does not exist, or belongs to another organization. Create a token of the bot's organization: natter bot list names it.",
  }
  const fix = advice[response.status] ?? 'Check NATTER_BASE_URL and the log of the platform.'
  return failed(check, `${baseUrl} answers ${response.status}`, fix)
}
