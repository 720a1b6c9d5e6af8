/** What a visitor of `/docs` found. */
export interface CrawledDocs {
  /** The ids of the elements of each page or file, by path. */
  ids: Map<string, string[]>
  /** Paths that were not answered with 200, and links to anchors that no page has. */
  broken: string[]
  /** Addresses on other servers. */
  elsewhere: URL[]
}

/** Follows every link, style, script and picture from `/docs` of a running platform to whatever the platform has. */
export async function crawlDocs(baseUrl: string): Promise<CrawledDocs> {
  const { origin } = new URL(baseUrl)
  const ids = new Map<string, string[]>()
  const broken: string[] = []
  const links: { from: string; to: URL }[] = []
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (ids.has(path)) continue
    const response = await fetch(origin + path)
    const isPage = response.headers.get('content-type')?.startsWith('text/html')
    const text = await response.text()
    ids.set(path, isPage ? attributes(text, 'id') : [])
    if (response.status !== 200) broken.push(`${path}: ${response.status}`)
    if (!isPage) continue
    for (const link of attributes(text, 'href|src')) {
      const to = new URL(link, response.url)
      if (to.protocol === 'data:') continue
      links.push({ from: path, to })
      if (to.origin === origin) waiting.push(to.pathname)
    }
  }
  const elsewhere = links.map(({ to }) => to).filter(to => to.origin !== origin)
  for (const { from, to } of links) {
    const anchor = decodeURIComponent(to.hash.slice(1))
    if (to.origin === origin && anchor && !ids.get(to.pathname)?.includes(anchor)) broken.push(`${from} links to ${to}`)
  }
  return { ids, broken, elsewhere }
}

const attributes = (markup: string, names: string): string[] =>
  [...markup.matchAll(new RegExp(` (?:${names})="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  )
