import { isIP } from 'node:net'
import { isAllowedAddress } from '../webhooks/egressPolicy.ts'
import { refuse } from './option.ts'

/** Reads a URL that the platform calls. Plain HTTP is allowed, for private networks. */
export function readUrl(text: string): string {
  const url = URL.parse(text)
  const isUsable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash
  if (!isUsable || text.length > 2048)
    return refuse('Must be an http or https address without a user, a password or a fragment.')
  // The server checks the addresses of a host name when it calls the URL.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 || isAllowedAddress(host, 'any')
    ? url.href
    : refuse('Must not be a link-local address or the metadata service of a cloud: "natter serve" never calls these.')
}
