import { networkFailure } from '../platform/webhooks/webhookHttp.ts'

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

/** There was no answer. The message says why, and `fix` what to do. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly fix: string

  constructor(url: string, error: unknown) {
    // `fetch` says why only in the cause of its error.
    const { cause: reason = error } = error as Error
    const cause = networkFailure(error) ?? (reason instanceof Error ? reason.message : String(reason))
    super(`${new URL(url).origin} does not answer: ${cause}`)
    this.fix = fixes.find(([causes]) => causes.test(cause))?.[1] ?? 'Check the address, the network and the firewall.'
  }
}

const fixes: [RegExp, string][] = [
  [/^bad port$/, 'Browsers refuse this port, whatever listens there: use another one, such as 443 or 8787.'],
  [/^ECONNREFUSED$/, 'Nothing listens at this port: start the server, or correct the address.'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'This machine does not know the name: correct it, or add its DNS record.'],
  [/^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/, 'Renew the certificate, and check the clock of this machine.'],
  [/ALTNAME_INVALID$/, 'The certificate is for another name: get one for this name.'],
  [
    /SIGNED|CERT/,
    'Browsers do not trust the certificate either. Get one from a public authority, and let the server send the whole chain (fullchain.pem). For an authority of your own, set NODE_EXTRA_CA_CERTS to its file.',
  ],
  [/SSL|TLS|EPROTO/, 'This port does not speak TLS: use http://, or the port of the proxy that has the certificate.'],
  [/TIMEOUT|timeout/, 'Check the firewall, and whether the server hangs.'],
]

/** Fetches a URL; throws `NoAnswer`. Does not follow redirects, since a browser's request may not either. */
export async function request(
  { fetch }: Pick<DoctorTarget, 'fetch'>,
  url: string,
  init: RequestInit = {},
): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs)
  return fetch(url, { redirect: 'manual', cache: 'no-store', signal, ...init }).catch(error => {
    throw new NoAnswer(url, error)
  })
}

/** Passes the results of a check on, and what it returns. Yields a failed one if a server does not answer. */
export async function* attempt<Returned = void>(
  check: string,
  results: AsyncGenerator<CheckResult, Returned> | Promise<CheckResult>,
): AsyncGenerator<CheckResult, Returned | undefined> {
  try {
    if (!(results instanceof Promise)) return yield* results
    yield await results
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    yield failed(check, error.message, error.fix)
  }
  return undefined
}

export const originOf = (url: string): string => new URL(url).origin

/** Whether an address is of this machine, where pages need no TLS. */
export const isLocal = (url: string): boolean => /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname)
