import type { DatabaseSync } from 'node:sqlite'

/** For tests: every term in the file of the full-text table, whether or not a contact contains it. */
export function readSearchTerms(db: DatabaseSync): Set<string> {
  const leaves = db.prepare('SELECT block FROM contact_search_data WHERE id > 10').all() as { block: Uint8Array }[]
  return new Set(leaves.flatMap(({ block }) => termsOf(Buffer.from(block))))
}

/** A leaf consists of its size, the entries, and at the end the offsets of the terms. */
function termsOf(leaf: Buffer): string[] {
  const terms: string[] = []
  const size = leaf.length < 4 ? leaf.length : leaf.readUInt16BE(2)
  let previous = Buffer.alloc(0)
  let position = 0
  for (let index = size; index < leaf.length; ) {
    const distance = readVarint(leaf, index)
    index = distance.end
    position += distance.value
    // The first term shares no prefix with a previous one.
    const kept = terms.length === 0 ? { value: 0, end: position } : readVarint(leaf, position)
    const length = readVarint(leaf, kept.end)
    const suffix = leaf.subarray(length.end, length.end + length.value)
    previous = Buffer.concat([previous.subarray(0, kept.value), suffix])
    // The first byte identifies the index of the table.
    terms.push(previous.subarray(1).toString())
  }
  return terms
}

function readVarint(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0
  for (let end = start; ; end++) {
    const byte = bytes[end] ?? 0
    value = value * 128 + (byte & 127)
    if (byte < 128) return { value, end: end + 1 }
  }
}
