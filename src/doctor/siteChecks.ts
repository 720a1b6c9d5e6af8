import { count } from '../platform/count.ts'
import { type CheckResult, type DoctorTarget, failed, isLocal, ok, originOf, request } from './check.ts'
import { type CspNeed, findObstacle } from './contentSecurityPolicy.ts'
import { findChatTag, type Page } from './page.ts'

/** Whether the page's Content Security Policy admits the chat. */
export function* checkPolicy(page: Page, { baseUrl, tokenUrl }: DoctorTarget): Generator<CheckResult> {
  if (page.policies.length === 0) return yield ok('csp', 'the page has no Content Security Policy')
  const tag = findChatTag(page)
  const needs: CspNeed[] = [
    ...(tag
      ? [{ directive: 'script-src' as const, url: new URL(tag['src'] ?? '', page.url).href, nonce: tag['nonce'] }]
      : []),
    { directive: 'connect-src', url: `${baseUrl}/` },
    ...(tokenUrl ? [{ directive: 'connect-src' as const, url: tokenUrl }] : []),
  ]
  let isEnough = true
  for (const policy of page.policies)
    for (const need of needs) {
      const obstacle = findObstacle(policy, need, page.url)
      if (!obstacle) continue
      isEnough = false
      const { directive, fix } = obstacle
      yield failed('csp', `${directive} of the page does not allow ${need.url}`, fix)
    }
  if (isEnough) yield ok('csp', "the page's Content Security Policy admits the chat")
}

/** Whether plain HTTP leads to HTTPS. */
export async function* checkTls(target: DoctorTarget): AsyncGenerator<CheckResult> {
  for (const url of new Set([target.site, target.baseUrl])) {
    const origin = originOf(url)
    if (isLocal(url)) {
      yield ok('tls', `${origin} is this machine, where pages need no TLS`)
      continue
    }
    const plain = new URL(url)
    plain.protocol = 'http:'
    plain.port = ''
    // A server that does not listen for plain HTTP is safe, too.
    const response = await request(target, plain.href).catch(() => null)
    const location = response?.headers.get('location') ?? ''
    const isRedirect = response !== null && response.status >= 301 && response.status <= 308
    await response?.body?.cancel()
    if (url.startsWith('https:') && (response === null || (isRedirect && location.startsWith('https:'))))
      yield ok('tls', `${origin} is reached over TLS only`)
    else
      yield failed(
        'tls',
        `${plain.origin} answers without TLS`,
        `Redirect http:// to https:// in its proxy, and use https:// addresses.`,
      )
  }
}

/** The organization token, which may never be in what a browser gets. */
const organizationToken = /\bo_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/

/** The most scripts of a page that are read. */
const maxScripts = 50

export async function checkSecrets(page: Page, target: DoctorTarget): Promise<CheckResult> {
  const addresses = page.scripts.flatMap(({ src }) =>
    src && URL.canParse(src, page.url) ? [new URL(src, page.url).href] : [],
  )
  if (organizationToken.test(page.html)) return leaked(page.url)
  for (const address of addresses.slice(0, maxScripts)) {
    const text = await request(target, address, { redirect: 'follow' })
      .then(response => response.text())
      .catch(() => '')
    if (text && organizationToken.test(text)) return leaked(address)
  }
  return ok(
    'secrets',
    `no organization token in the page and its ${count(Math.min(addresses.length, maxScripts), 'script')}`,
  )
}

const leaked = (address: string): CheckResult =>
  failed(
    'secrets',
    `${address} has an organization token, with which anybody can read all conversations`,
    'End it at once with "natter token revoke", and keep a new one on your server alone.',
  )
