/** The known word that a misspelt or shortened one most likely means. */
export function nearest(word: string, known: string[]): string | undefined {
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
