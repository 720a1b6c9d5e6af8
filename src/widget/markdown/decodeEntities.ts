/** The named entities that are common in messages. */
const namedEntities = new Map(
  Object.entries({
    quot: '"',
    amp: '&',
    apos: "'",
    lt: '<',
    gt: '>',
    nbsp: '\xa0',
    copy: '©',
    reg: '®',
    trade: '™',
    laquo: '«',
    raquo: '»',
    times: '×',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    bull: '•',
    hellip: '…',
    euro: '€',
    larr: '←',
    uarr: '↑',
    rarr: '→',
    darr: '↓',
  }),
)

/** Replaces numeric entities and these named ones by their characters. Other names are left unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7}|x[\da-f]{1,6})|(\w{2,7}));/gi, (entity, number?: string, name = '') => {
    if (!number) return namedEntities.get(name) ?? entity
    const code = Number(`0${number}`)
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    return code > 0 && code <= 0x10ffff && !isSurrogate ? String.fromCodePoint(code) : '\ufffd'
  })
}

/** Returns the address of a link, or `undefined` if its scheme is not allowed. Such a link is shown as text. */
export function parseLinkAddress(href: string): string | undefined {
  const address = decodeEntities(href)
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(address) ? address : undefined
}

/** Returns the address of an image, or `undefined` if its scheme is not allowed. */
export function parseImageAddress(href: string): string | undefined {
  const address = decodeEntities(href)
  return /^https?:\/\//i.test(address) ? address : undefined
}
