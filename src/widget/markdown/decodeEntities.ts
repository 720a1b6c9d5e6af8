/** The named entities that language models use. A full table would be larger than the rest of the chunk. */
const namedEntities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  times: '×',
  euro: '€',
  copy: '©',
  rarr: '→',
}

/** Replaces numeric entities and common named ones by their characters. Unknown names are left unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7}|x[\da-f]{1,6})|(\w{2,6}));/gi, (entity, number?: string, name = '') => {
    if (!number) return (Object.hasOwn(namedEntities, name) && namedEntities[name]) || entity
    const code = Number(`0${number}`)
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    return code > 0 && code <= 0x10ffff && !isSurrogate ? String.fromCodePoint(code) : '\ufffd'
  })
}
