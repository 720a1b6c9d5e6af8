/** Returns the list with `next` instead of the entry with that id, or at the end if there is none. */
export function replaceEntry<Entry extends { id: string }>(list: readonly Entry[], id: string, next: Entry[]): Entry[] {
  const isKnown = list.some(entry => entry.id === id)
  return isKnown ? list.flatMap(entry => (entry.id === id ? next : [entry])) : [...list, ...next]
}
