import type { HeapSnapshot } from './heapSnapshot.ts'

export interface HeapNode {
  /** Its number, which counts from 0, the root. */
  index: number
  type: string
  /** The text of a string, the class of an object. */
  name: string
}

/** A reference from one node to another. */
export interface HeapEdge {
  type: string
  /** The property, or the index in an array. */
  name: string
  to: number
}

interface Step {
  from: number
  edge: HeapEdge
}

export interface HeapGraph {
  /** Every text of the snapshot once: strings, names of properties, classes. */
  strings: string[]
  nodes(): Iterable<HeapNode>
  edgesOf(node: number): Iterable<HeapEdge>
  /** A window, and the names of the references that lead from there to a node by the shortest way. */
  pathTo(node: number): string[]
}

export function createHeapGraph({ meta, nodes, edges, strings }: HeapSnapshot): HeapGraph {
  const { node_fields, edge_fields, node_types, edge_types } = meta
  const [nodeSize, edgeSize] = [node_fields.length, edge_fields.length]
  const count = nodes.length / nodeSize
  const field = (fields: string[], name: string) => fields.indexOf(name)
  const [typeAt, nameAt, edgeCountAt] = ['type', 'name', 'edge_count'].map(name => field(node_fields, name))
  const [edgeTypeAt, edgeNameAt, toAt] = ['type', 'name_or_index', 'to_node'].map(name => field(edge_fields, name))
  const nodeValue = (node: number, at = 0) => nodes[node * nodeSize + at] ?? 0

  const firstEdges = new Uint32Array(count + 1)
  for (let node = 0; node < count; node++) firstEdges[node + 1] = (firstEdges[node] ?? 0) + nodeValue(node, edgeCountAt)

  const nodeOf = (index: number): HeapNode => ({
    index,
    type: node_types[0][nodeValue(index, typeAt)] ?? '',
    name: strings[nodeValue(index, nameAt)] ?? '',
  })

  function* edgesOf(node: number): Iterable<HeapEdge> {
    for (let edge = firstEdges[node] ?? 0; edge < (firstEdges[node + 1] ?? 0); edge++) {
      const value = (at = 0) => edges[edge * edgeSize + at] ?? 0
      const type = edge_types[0][value(edgeTypeAt)] ?? ''
      const nameOrIndex = value(edgeNameAt)
      const name = type === 'element' || type === 'hidden' ? `[${nameOrIndex}]` : (strings[nameOrIndex] ?? '')
      yield { type, name, to: value(toAt) / nodeSize }
    }
  }

  /** Walks the graph from these nodes, and returns how each other node is reached first, which is the shortest way. */
  function walk(starts: number[], counts: (edge: HeapEdge) => boolean): Map<number, Step | null> {
    const reached = new Map<number, Step | null>(starts.map(node => [node, null]))
    const queue = [...starts]
    // The loop reaches what it adds.
    for (const from of queue) {
      for (const edge of edgesOf(from)) {
        if (reached.has(edge.to) || !counts(edge)) continue
        reached.set(edge.to, { from, edge })
        queue.push(edge.to)
      }
    }
    return reached
  }

  function* allNodes(): Iterable<HeapNode> {
    for (let node = 0; node < count; node++) yield nodeOf(node)
  }

  /** From the windows, whose properties a reader knows; and from the engine's own root, for what no window reaches. */
  let walks: Map<number, Step | null>[] | undefined

  function walkAll() {
    const windows = [...allNodes()].filter(({ type, name }) => type === 'object' && /^Window\b/.test(name))
    return [
      walk(
        windows.map(({ index }) => index),
        ({ type }) => type !== 'weak',
      ),
      walk([0], () => true),
    ]
  }

  function pathTo(node: number): string[] {
    walks ??= walkAll()
    const reached = walks.find(each => each.has(node))
    const path: string[] = []
    let start = node
    for (let step = reached?.get(node); step; step = reached?.get(step.from)) {
      path.unshift(step.edge.name)
      start = step.from
    }
    return [nodeOf(start).name, ...path]
  }

  return { strings, nodes: allNodes, edgesOf, pathTo }
}
