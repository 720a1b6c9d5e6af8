import { type Policy, parsePolicies } from './contentSecurityPolicy.ts'

/** A page, as far as the doctor reads it. */
export interface Page {
  url: string
  html: string
  policies: Policy[]
  /** The tags of its scripts, by the names of their attributes. */
  scripts: Record<string, string>[]
}

export async function readPage(response: Response, url: string): Promise<Page> {
  const html = await response.text()
  const header = response.headers.get('content-security-policy') ?? ''
  const metas = tagsOf(html, 'meta').filter(meta => /^content-security-policy$/i.test(meta['http-equiv'] ?? ''))
  return {
    url,
    html,
    policies: [header, ...metas.map(({ content = '' }) => content)].flatMap(parsePolicies),
    scripts: tagsOf(html, 'script'),
  }
}

/** The attributes of all tags of a name. Comments are ignored. */
function tagsOf(html: string, name: string): Record<string, string>[] {
  const tags = html
    .replace(/<!--[\s\S]*?-->/g, '')
    .matchAll(new RegExp(`<${name}\\b((?:"[^"]*"|'[^']*'|[^>"'])*)>`, 'gi'))
  return [...tags].map(([, attributes = '']) =>
    Object.fromEntries(
      [...attributes.matchAll(/([^\s=/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)].map(
        ([, key = '', double, single, bare]) => [key.toLowerCase(), decodeEntities(double ?? single ?? bare ?? '')],
      ),
    ),
  )
}

/** Decodes what templates write for characters of an address. A number that is no character stands for U+FFFD, as in HTML. */
const decodeEntities = (text: string): string =>
  text
    .replace(/&#(?:(\d+)|x([\da-f]+));/gi, (_, decimal?: string, hex = '') => {
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\ufffd'
    })
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** The tag that embeds the chat. */
export const findChatTag = ({ scripts }: Page): Record<string, string> | undefined =>
  scripts.find(({ src = '' }) => /\/natter(?:\.all)?\.js(?:[?#]|$)/.test(src))
