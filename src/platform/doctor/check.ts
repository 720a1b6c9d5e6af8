/** One thing that the doctor has tried. */
export interface CheckResult {
  /** What was tried, such as `origin`. */
  check: string
  /** `note`: something is not there, which the site may want so. */
  kind: 'ok' | 'note' | 'failed'
  /** What was found. */
  found: string
  /** What to do about it. */
  fix?: string
}

/** The site and the platform that are tried, and how to reach them. */
export interface DoctorTarget {
  /** The address of a page that embeds the chat. */
  site: string
  /** The platform's address, without a slash at the end. */
  baseUrl: string
  botId: string
  /** The address of the token route, if the site has one. */
  tokenUrl: string | undefined
  fetch: typeof fetch
  now(): number
}

export const ok = (check: string, found: string): CheckResult => ({ check, kind: 'ok', found })
export const note = (check: string, found: string, fix: string): CheckResult => ({ check, kind: 'note', found, fix })
export const failed = (check: string, found: string, fix: string): CheckResult => ({
  check,
  kind: 'failed',
  found,
  fix,
})

/** How long the doctor waits for an answer. */
export const timeoutMs = 10_000

/** Fetches a URL; `null` if there is no answer. Does not follow redirects, since a browser's request may not either. */
export async function request(
  { fetch }: Pick<DoctorTarget, 'fetch'>,
  url: string,
  init: RequestInit = {},
): Promise<Response | null> {
  const signal = AbortSignal.timeout(timeoutMs)
  return fetch(url, { redirect: 'manual', cache: 'no-store', signal, ...init }).catch(() => null)
}

export const originOf = (url: string): string => new URL(url).origin

/** Whether an address is of this machine, where pages need no TLS. */
export const isLocal = (url: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname)
