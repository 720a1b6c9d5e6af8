import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/** Every code point but the surrogates. The unit `binary` of fast-check is the same, and takes a second to create. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(0x10ffff - surrogates.count)
  .map(number => String.fromCodePoint(number < surrogates.first ? number : number + surrogates.count))
