import { serveOptions } from './serveOptions.ts'

const prefix = 'NATTER_'

/** Variables of other programs: an organization's server and the tests. */
const others =
  /^NATTER_(?:BASE_URL|BOT_ID|ORGANIZATION_TOKEN|EVENTS_SECRET|RESPONDER_SECRET|CHROMIUM|FIREFOX|WEBKIT|BUN|DENO|NATS|TEST_.*)$/

/** A warning for each unknown `NATTER_*` variable: a misspelt one would be silently ignored. */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  const known = serveOptions.flatMap(({ envVar = [] }) => envVar)
  return Object.keys(environment)
    .filter(name => name.startsWith(prefix) && !others.test(name) && !known.includes(name))
    .sort()
    .map(name => {
      // All names begin alike, which says nothing about how near they are.
      const [word = '', ...words] = [name, ...known].map(each => each.slice(prefix.length))
      const near = nearest(word, words)
      const advice = near ? `did you mean ${prefix}${near}?` : '"natter serve --help" lists them.'
      return `${name} is not a variable of Natter: ${advice}`
    })
}

/** The known word that a misspelt or shortened one most likely means. */
function nearest(word: string, known: string[]): string | undefined {
  const [first] = known
    .map(candidate => ({ candidate, isBegun: candidate.startsWith(word), distance: editDistance(word, candidate) }))
    .sort((a, b) => Number(b.isBegun) - Number(a.isBegun) || a.distance - b.distance)
  // A greater distance means a different word.
  return first && (first.isBegun || first.distance <= word.length / 3) ? first.candidate : undefined
}

/** The Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
