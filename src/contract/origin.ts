/** Schemes whose pages have no origin of their own, and those of no page. */
const pageless = ['about:', 'blob:', 'data:', 'file:', 'ftp:', 'javascript:', 'ws:', 'wss:']

/**
 * Returns an origin as browsers send it, from one as people write it: with capitals, a slash at the end, the scheme's own port
 * or an international domain. Apps may have a scheme of their own, such as `capacitor://localhost`. `reason` says why a
 * text is none.
 */
export function parseOrigin(text: string): { origin: string } | { reason: string } {
  const example = 'such as https://shop.example'
  if (!/^\s*[a-z][a-z\d+.-]*:\/\//i.test(text)) return { reason: `Must be scheme, host and port, ${example}.` }
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || url.host === '' || pageless.includes(url.protocol) || /^\.|\.\./.test(url.hostname))
    return { reason: `Must be scheme, host and port of pages, ${example}.` }
  if (url.pathname.length > 1 || url.search || url.hash || url.username || url.password)
    return { reason: `Must be scheme, host and port without a path, ${example}.` }
  return { origin: `${url.protocol}//${url.host.toLowerCase()}` }
}
