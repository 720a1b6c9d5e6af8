import type { ComponentChildren, JSX } from 'preact'

interface LinkProps {
  /** An address with an allowed scheme: http, https, mailto or tel. */
  href: string
  title?: string | null | undefined
  /** The text of the link, without formatting. */
  text: string
  /** The text with formatting. Default: `text`. */
  children?: ComponentChildren
}

/**
 * A link in a message. It opens in a new tab, without access to this one, and shows its destination if the text misleads.
 */
export function Link({ href, text, title, children = text }: LinkProps): JSX.Element {
  const destination = hiddenDestination(text, href)
  return (
    <a href={href} title={title || undefined} target="_blank" rel="noopener noreferrer">
      {children}
      {/* `<bdi>`, so that right-to-left characters in the text can't reorder the destination. */}
      {destination && <bdi> ({destination})</bdi>}
    </a>
  )
}

/** Up to a space, a quotation mark, or the punctuation of Chinese and Japanese, which has no space after it. */
export const addressCharacters = String.raw`[^\s<>"\u2014“”…\u3001\u3002\u3008-\u3011\u3014-\u301f！-／：-＠［-｀｛-･]+`

/** Letters of scripts with spaces between words. Others, such as Chinese, may be written directly before an address. */
const letters = String.raw`\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{M}\d_`

/**
 * Matches an address with a scheme, or an email address without one, of which the part before `@` has at most 64 characters.
 * A part of an email address would be another person's, so it matches a whole one or none.
 */
const addresses = new RegExp(
  `(?:https?://|mailto:)${addressCharacters}|` +
    `(?<![${letters}.+!#$%&=^{}?@-]['’]?)(?!['’])[${letters}.+'’-]{1,64}@` +
    String.raw`[${letters}-]{1,63}(?:\.[${letters}-]{1,63}){1,8}(?![${letters}@-])`,
  'giu',
)

/** Renders the http, https and email addresses in a text as links. No markup is parsed. */
export function linkify(text: string): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = []
  let end = 0
  for (const { 0: match, index } of text.matchAll(addresses)) {
    const address = trimAddress(match)
    const hasScheme = /^(?:https?:\/\/|mailto:)/i.test(match)
    // Skip an address that consists of a scheme only.
    if (hasScheme && !/^(?:https?:\/\/|mailto:)./i.test(address)) continue
    parts.push(text.slice(end, index), <Link href={hasScheme ? address : `mailto:${address}`} text={address} />)
    end = index + address.length
  }
  return [...parts, text.slice(end)]
}

const openingBrackets: Record<string, string> = { ')': '(', ']': '[', '}': '{' }

/**
 * Removes punctuation of the surrounding sentence from the end of an address. A closing bracket at the end belongs to the
 * address only if the opening one does, as in `https://en.wikipedia.org/wiki/Boot_(shoe)`.
 */
export function trimAddress(address: string): string {
  const counts = new Map<string, number>()
  const count = (character: string) => counts.get(character) ?? 0
  for (const character of address) counts.set(character, count(character) + 1)
  let end = address.length
  for (; end > 0; end--) {
    const last = address[end - 1] as string
    const opening = openingBrackets[last]
    if (opening && count(last) > count(opening)) counts.set(last, count(last) - 1)
    else if (!`.,:;!?*_~'"…’”»`.includes(last)) break
  }
  return address.slice(0, end)
}

/**
 * Returns the host or mail address of a link if its text names another one. `Link` shows it after the text. Everything in
 * the text that looks like a host name is compared, with or without a scheme. `www.` is ignored.
 */
export function hiddenDestination(text: string, href: string): string | undefined {
  const url = parseUrl(href)
  if (!url) return
  const { protocol, hostname, pathname, username } = url
  const digits = (number: string) => number.replace(/\D/g, '')
  if (protocol === 'tel:') return digits(text).includes(digits(pathname)) ? undefined : pathname
  const isMail = protocol === 'mailto:'
  const destination = isMail ? pathname.replaceAll('%40', '@') : hostname
  // If the text is the address itself, only a user name can mislead: `https://bank.example@evil.example`.
  if ([text, `http://${text}`, `mailto:${text}`].includes(href)) return username ? destination : undefined
  const accepted = [destination.toLowerCase(), normalizeHost(isMail ? destination.replace(/^.*@/, '') : hostname)]
  return findHosts(text).every(host => accepted.includes(host)) ? undefined : destination
}

/** Finds the hosts and mail addresses in a text. */
function findHosts(text: string): string[] {
  // Normalize characters that are invisible or look like others: they would hide a name from this search, but not from
  // people.
  const words = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .split(/[^\p{L}\p{M}\p{N}.。_@:/\\?#%+-]+/u)
  return words.flatMap(word => {
    const [, scheme, authority = ''] = /^(?:mailto:)?([a-z][a-z\d+.-]*:[/\\]+)?([^/\\?#]*)/i.exec(word) ?? []
    const names = authority.split('@').map(name => name.replace(/:\d*$/, '').replace(/[.。]+$/, ''))
    // In a URL, the part before an `@` is a user name, which people may take for the host.
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

/** Normalizes a host as URLs do, so that different spellings of it are equal. */
function normalizeHost(host: string): string {
  return (parseUrl(`http://${host}`)?.hostname ?? host).replace(/^www\./, '')
}

/** Like `URL.parse()`, which some supported browsers lack. */
export function parseUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return
  }
}
