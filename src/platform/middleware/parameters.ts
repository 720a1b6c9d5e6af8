import { fieldProblem, type ProblemError } from '../domain/problem.ts'

/**
 * Names and values of a query or of an urlencoded body. A `%` that encodes nothing stands for itself, so
 * that an unencoded query works. Bytes that are not UTF-8 are refused. Empty pieces (`?&page=2`) are skipped.
 */
export function parseParameters(text: string): [string, string][] {
  const pieces = text.split('&').filter(piece => piece !== '')
  return pieces.map(piece => {
    const equals = piece.indexOf('=')
    return equals < 0 ? [decode(piece), ''] : [decode(piece.slice(0, equals)), decode(piece.slice(equals + 1))]
  })
}

/** Converts parameters to an object. Refuses repeated ones: some parsers take the first, others the last. */
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
    throw fieldProblem('', 'invalid_character', 'What is percent-encoded must be UTF-8.')
  }
}
