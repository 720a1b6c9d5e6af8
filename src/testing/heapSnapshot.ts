/** What Chromium's heap profiler tells: a graph in flat arrays, whose fields `meta` names. */
export interface HeapSnapshot {
  meta: { node_fields: string[]; node_types: [string[]]; edge_fields: string[]; edge_types: [string[]] }
  nodes: Uint32Array
  edges: Uint32Array
  strings: string[]
}

interface Header extends Pick<HeapSnapshot, 'meta'> {
  node_count: number
  edge_count: number
}

export interface HeapSnapshotReader {
  /** Reads the next piece of the profiler's JSON. */
  write(chunk: string): void
  /** The snapshot, after the last piece. */
  read(): HeapSnapshot
}

const code = { quote: 34, backslash: 92, zero: 48, nine: 57 }

/**
 * Reads a snapshot piece by piece: the JSON of a large page is longer than a string can be. The profiler writes an object
 * with `snapshot`, `nodes`, `edges` and, after other arrays of numbers, `strings`.
 */
export function createHeapSnapshotReader(): HeapSnapshotReader {
  let header: Header | undefined
  let nodes = new Uint32Array()
  let edges = new Uint32Array()
  const strings: string[] = []
  /** What is not read yet. */
  let pending = ''
  let readNext: () => boolean = readHeader

  /** Each step reads what it can of `pending`, and returns whether the next step may begin. */
  function readHeader(): boolean {
    const end = pending.indexOf('"nodes":[')
    if (end < 0) return false
    header = JSON.parse(`${pending.slice(0, end).replace(/,\s*$/, '')}}`).snapshot as Header
    const { meta, node_count, edge_count } = header
    nodes = new Uint32Array(node_count * meta.node_fields.length)
    edges = new Uint32Array(edge_count * meta.edge_fields.length)
    readNext = createNumberStep('"nodes":[', nodes, createNumberStep('"edges":[', edges, skipToStrings))
    return true
  }

  function createNumberStep(start: string, numbers: Uint32Array, next: () => boolean): () => boolean {
    let count = 0
    let hasBegun = false
    return () => {
      if (!hasBegun) {
        const at = pending.indexOf(start)
        if (at < 0) return false
        pending = pending.slice(at + start.length)
        hasBegun = true
      }
      const end = pending.indexOf(']')
      // The last number may go on in the next piece.
      const readable = end < 0 ? pending.lastIndexOf(',') + 1 : end
      for (let at = 0; at < readable; ) {
        let digit = pending.charCodeAt(at)
        if (digit < code.zero || digit > code.nine) {
          at++
          continue
        }
        let value = 0
        while (digit >= code.zero && digit <= code.nine) {
          value = value * 10 + digit - code.zero
          digit = pending.charCodeAt(++at)
        }
        numbers[count++] = value
      }
      pending = pending.slice(readable)
      if (end >= 0) readNext = next
      return end >= 0
    }
  }

  function skipToStrings(): boolean {
    const start = '"strings":['
    const at = pending.indexOf(start)
    // The start may go on in the next piece.
    pending = at < 0 ? pending.slice(-start.length) : pending.slice(at + start.length)
    if (at >= 0) readNext = readStrings
    return at >= 0
  }

  function readStrings(): boolean {
    let at = 0
    for (;;) {
      const start = pending.indexOf('"', at)
      const end = start < 0 ? -1 : endOfString(start)
      if (end < 0) break
      strings.push(JSON.parse(pending.slice(start, end)))
      at = end
    }
    pending = pending.slice(at)
    return false
  }

  /** The index behind the closing quote, or -1 if it has not come yet. */
  function endOfString(start: number): number {
    for (let at = start + 1; at < pending.length; at++) {
      const char = pending.charCodeAt(at)
      if (char === code.backslash) at++
      else if (char === code.quote) return at + 1
    }
    return -1
  }

  return {
    write(chunk) {
      pending += chunk
      while (readNext());
    },
    read() {
      if (!header)
        throw new Error("Chromium's heap snapshot has a form that this version of natter/testing can't read.")
      return { meta: header.meta, nodes, edges, strings }
    },
  }
}
