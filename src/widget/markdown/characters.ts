const named: Record<string, string> = {
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

/** Puts the characters in for their numbers and for the names that models use; other names stay as they are. */
export function decodeCharacters(text: string): string {
  return text.replace(/&(?:#(\d{1,7}|x[\da-f]{1,6})|(\w{2,6}));/gi, (all, number?: string, name = '') => {
    if (!number) return (Object.hasOwn(named, name) && named[name]) || all
    const code = Number(`0${number}`)
    // Half of a pair is no character.
    const isCharacter = code > 0 && code < 0x110000 && code >> 11 !== 0x1b
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })
}
