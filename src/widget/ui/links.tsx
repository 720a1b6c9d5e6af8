import type { ComponentChildren, JSX } from 'preact'

export interface LinkProps {
  /** An address with an allowed scheme: http, https or mailto. */
  href: string
  /** What the link says, without formatting. */
  text: string
  /** The same with formatting. */
  children?: ComponentChildren
}

/** A link out of a message. It opens a new tab that can't reach this one, and never hides where it goes. */
export function Link({ href, text, children = text }: LinkProps): JSX.Element {
  const destination = hiddenDestination(text, href)
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
      {/* Isolated, so that right-to-left characters in the text can't reorder it. */}
      {destination && <bdi> ({destination})</bdi>}
    </a>
  )
}

/** An address with a scheme, or a bare email address. Of the latter the part before the `@` has at most 64 characters. */
const addresses = /(?:https?:\/\/|mailto:)[^\s<>"]+|(?<![\w.+-])[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/gi

/** Plain text with its http, https and email addresses as links. No markup is ever parsed. */
export function linkify(text: string): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(addresses)) {
    const address = trimAddress(match)
    const hasScheme = /^(?:https?:\/\/|mailto:)/i.test(match)
    // Only a scheme is left.
    if (hasScheme && !/^(?:https?:\/\/|mailto:)./i.test(address)) continue
    parts.push(text.slice(end, index), <Link href={hasScheme ? address : `mailto:${address}`} text={address} />)
    end = index + address.length
  }
  return [...parts, text.slice(end)]
}

const openingBrackets: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/**
 * An address without the punctuation of the sentence around it. A closing bracket at the end belongs to the address
 * only where the address has its opening bracket, as in `https://en.wikipedia.org/wiki/Boot_(shoe)`.
 */
export function trimAddress(address: string): string {
  const unopened: Record<string, number> = {}
  for (const [closing, opening] of Object.entries(openingBrackets))
    unopened[closing] = address.split(closing).length - address.split(opening).length
  let end = address.length
  for (; end > 0; end--) {
    const last = address[end - 1] as string
    const isUnopened = (unopened[last] ?? 0) > 0
    if (isUnopened) unopened[last] = (unopened[last] ?? 0) - 1
    else if (!`.,:;!?*_~'"…’”»`.includes(last)) break
  }
  return address.slice(0, end)
}

/**
 * Where a link goes, if its text names another place: the host, or the mail address, which Link shows after the text.
 * Whatever in the text looks like a host name counts, with a scheme or without. `www.` makes no difference.
 */
export function hiddenDestination(text: string, href: string): string | undefined {
  const url = parseUrl(href)
  if (!url) return
  const { protocol, hostname, pathname, username } = url
  const isMail = protocol === 'mailto:'
  const destination = isMail ? pathname.replaceAll('%40', '@') : hostname
  // An address as its own text can mislead only by a user name: `https://bank.example@evil.example`.
  if ([text, `http://${text}`, `mailto:${text}`].includes(href)) return username ? destination : undefined
  const accepted = [destination.toLowerCase(), normalizeHost(isMail ? destination.replace(/^.*@/, '') : hostname)]
  return namedPlaces(text).every(place => accepted.includes(place)) ? undefined : destination
}

/** The hosts and mail addresses that a text names. */
function namedPlaces(text: string): string[] {
  // Without characters that are invisible or look like others: they would hide a name from this search only.
  const words = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .split(/[^\p{L}\p{M}\p{N}.。_@:/\\?#%+-]+/u)
  return words.flatMap(word => {
    const [, scheme, authority = ''] = /^(?:mailto:)?([a-z][a-z\d+.-]*:[/\\]+)?([^/\\?#]*)/i.exec(word) ?? []
    const names = authority.split('@').map(name => name.replace(/:\d*$/, '').replace(/[.。]+$/, ''))
    // Before an `@`, a URL has a user name, which people take for the host.
    if (scheme) return names.filter(Boolean).map(normalizeHost)
    const host = names.at(-1) ?? ''
    if (!isHostName(host)) return []
    return names.length > 1 ? names.join('@').toLowerCase() : normalizeHost(host)
  })
}

function isHostName(name: string): boolean {
  const labels = name.split(/[.。]/)
  const last = labels.at(-1) ?? ''
  const isDomain = last.length > 1 && /\p{L}/u.test(last)
  return labels.length > 1 && labels.every(Boolean) && (isDomain || /^\d+\.\d+\.\d+\.\d+$/.test(name))
}

/** A host as URLs write it, so that different spellings of it are equal. */
function normalizeHost(host: string): string {
  return (parseUrl(`http://${host}`)?.hostname ?? host).replace(/^www\./, '')
}

/** `URL.parse`, which not every supported browser has. */
export function parseUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return
  }
}
