/**
 * Creates a function that gives each heading of a text its anchor, as GitHub does: lower case, without punctuation, spaces
 * as hyphens. A repeated anchor gets a number.
 */
export function createAnchors(): (title: string) => string {
  const used = new Map<string, number>()
  return title => {
    const slug = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let count = used.get(slug) ?? 0; used.has(anchor); anchor = `${slug}-${count}`) used.set(slug, ++count)
    used.set(anchor, 0)
    return anchor
  }
}
