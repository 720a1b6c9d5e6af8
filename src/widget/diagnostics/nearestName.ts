/** Finds the one of `names` that a misspelt name probably means. Ignores case, hyphens and one or two typing errors. */
export function nearestName<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
  const typed = normalize(name)
  const ranked = names
    .map(known => ({ known, distance: editDistance(typed, normalize(known)) }))
    .sort((one, other) => one.distance - other.distance)
  const [best] = ranked
  return best && best.distance <= (best.known.length > 5 ? 2 : 1) ? best.known : undefined
}

/** Ignores a prefix `data`, case, and everything but letters, so that `data-bot_id` equals `botId`. */
const normalize = (name: string) => name.toLowerCase().replace(/^data|[^a-z]/g, '')

/** The Levenshtein distance: how many letters have to be added, removed or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const [changed, left, added] = [row[j], row[j + 1], next[j]] as [number, number, number]
      next.push(Math.min(changed + (from[i] === to[j] ? 0 : 1), left + 1, added + 1))
    }
    row = next
  }
  return row[to.length] as number
}
