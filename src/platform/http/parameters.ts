import { fieldProblem, type ProblemError } from '../domain/problem.ts'

/**
 * Parses a query or an urlencoded body into names and values. A `%` that encodes nothing stands for itself, so that an
 * unencoded query works. Empty pieces (`?&page=2`) are skipped. Throws `invalid_request` for bytes that are not UTF-8.
 */
export function parseParameters(text: string): [string, string][] {
  const pieces = text.split('&').filter(piece => piece !== '')
  return pieces.map(piece => {
    const equals = piece.indexOf('=')
    return equals < 0 ? [decode(piece), ''] : [decode(piece.slice(0, equals)), decode(piece.slice(equals + 1))]
  })
}

/** Converts parameters to an object. Throws if one is repeated: some parsers take the first value, others the last. */
export function toObject<Value>(entries: [string, Value][]): Record<string, Value> {
  const seen = new Set<string>()
  for (const [name] of entries) {
    if (seen.has(name)) throw repeated(name)
    seen.add(name)
  }
  return Object.fromEntries(entries)
}

const repeated = (name: string): ProblemError => fieldProblem(`/${name}`, 'repeated', 'Send this field once.')

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ').replace(/%(?![0-9a-fA-F]{2})/g, '%25')
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw fieldProblem('', 'invalid_character', 'Percent-encode text as UTF-8.')
  }
}
