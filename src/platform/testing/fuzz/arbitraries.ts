import fc from 'fast-check'
import { anyCharacter } from '../../../contract/testing/anyCharacter.ts'

/** Texts that often cause bugs. */
const notorious = [
  '',
  ' ',
  "'",
  '"',
  '%',
  '_',
  '\\',
  '\0',
  '\ud800',
  '\udc00x',
  '\u202e',
  '\u2066a\u2069',
  '\ufeff',
  '\u001f',
  '\r\n\r\n',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '101',
  '1e15',
  '999999999999999',
  '1000000000000000',
  '0x10',
  '1.5',
  'K@ı.example',
  'ada@ex\u212ample.com',
  '*',
  'a" OR "b',
  "'; DROP TABLE contacts; --",
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '😀',
  '👩‍👩‍👧‍👦',
  'e\u0301',
]

const repeated = fc
  .tuple(fc.constantFrom('a', 'é', '\u0301', '%', '_', '𝄞', ' ', '1', '\u202e', '['), fc.integer({ min: 0, max: 5000 }))
  .map(([character, count]) => character.repeat(count))

/** Any text, including lone surrogates and control characters. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...notorious) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 300 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 50 }) },
  { weight: 1, arbitrary: repeated },
)

/** Any JSON value in place of a text. */
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: nastyText },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1e15, 1e300, [], {}, [[]], { a: { b: 1 } }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown> },
)

/** What `fetch` can send in a header: Latin-1 without line breaks. */
export const nastyHeader: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: nastyText.map(text => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map(length => 'h'.repeat(length)) },
)

/** A path segment or query parameter, encoded or not, that a URL parser does not treat as another path. */
export const nastyUrlPart: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: nastyText.map(text => encodeURIComponent(text.toWellFormed().slice(0, 1500))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', '%zz', '%ff', '%c0%ae', '%00', '%25', '%2f', '%2e%2e%2f', '+', '&&', '='),
  },
)

/** Fields of a JSON object in order. Names may be duplicated, and `__proto__` is a normal name. */
export type Fields = [name: string, value: unknown][]

export const jsonOf = (fields: Fields): string =>
  `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`

/** A handwritten multipart body: the platform's encoders would normalize line breaks. */
export const multipartOf = (fields: [string, string][], boundary: string): string =>
  [
    ...fields.map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name.replace(/[\r\n"]/g, encodeURIComponent)}"\r\n\r\n${value}\r\n`,
    ),
    `--${boundary}--\r\n`,
  ].join('')
