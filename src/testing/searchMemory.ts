import type { CDPSession } from '@playwright/test'
import { createHeapGraph, type HeapGraph } from './heapGraph.ts'
import { createHeapSnapshotReader, type HeapSnapshot } from './heapSnapshot.ts'
import { type Finding, type Search, sliceLength, sliceOverlap } from './textSearch.ts'

/**
 * Searches all strings and names of properties that are in the page's memory after a garbage collection. Of each string,
 * Chromium tells the first 1024 characters, unless it was started with the flag `heap-snapshot-string-limit`.
 */
export async function searchMemory(devtools: CDPSession, search: Search): Promise<Finding[]> {
  const graph = createHeapGraph(await takeHeapSnapshot(devtools))
  const findings: Finding[] = []
  const find = (text: string) => search({ place: 'memory', path: [], text })
  const add = (found: Finding[], path: string[]) => findings.push(...found.map(finding => ({ ...finding, path })))

  const matching = new Map(
    graph.strings.flatMap(text => {
      const found = find(text)
      return found.length > 0 ? [[text, found] as const] : []
    }),
  )
  for (const { index, name } of matching.size > 0 ? graph.nodes() : []) {
    const found = matching.get(name)
    if (found) add(found, graph.pathTo(index))
    for (const edge of graph.edgesOf(index)) {
      const named = matching.get(edge.name)
      if (named) add(named, [...graph.pathTo(index), edge.name, 'key'])
    }
  }
  for (const { index, text } of joinedStrings(graph)) add(find(text), graph.pathTo(index))
  return findings
}

async function takeHeapSnapshot(devtools: CDPSession): Promise<HeapSnapshot> {
  const reader = createHeapSnapshotReader()
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => reader.write(chunk))
  await devtools.send('HeapProfiler.collectGarbage')
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  return reader.read()
}

/**
 * JavaScript keeps `a + b` as a pair of strings until somebody reads it. Yields each text that is not part of another, long
 * ones in slices.
 */
function* joinedStrings(graph: HeapGraph): Iterable<{ index: number; text: string }> {
  const halves = new Map<number, number[]>()
  const names = new Map<number, string>()
  for (const { index, type, name } of graph.nodes()) {
    if (type === 'string') names.set(index, name)
    if (type !== 'concatenated string') continue
    const both = [...graph.edgesOf(index)].filter(edge => edge.name === 'first' || edge.name === 'second')
    halves.set(
      index,
      both.map(edge => edge.to),
    )
  }
  const parts = new Set([...halves.values()].flat())
  for (const index of halves.keys()) {
    if (parts.has(index)) continue
    let text = ''
    const waiting = [index]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const both = halves.get(next)
      if (both) waiting.push(...both.toReversed())
      else text += names.get(next) ?? ''
      if (text.length < sliceLength) continue
      yield { index, text }
      text = text.slice(-sliceOverlap)
    }
    yield { index, text }
  }
}
