import { Session } from 'node:inspector/promises'
import { expect, it } from 'vitest'
import { createHeapSnapshotReader } from './heapSnapshot.ts'

it('reads a snapshot in pieces of any length', async () => {
  const session = new Session()
  session.connect()
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ params }) => chunks.push(params.chunk))
  await session.post('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  session.disconnect()
  const json = chunks.join('')
  const { snapshot, ...arrays } = JSON.parse(json)

  for (const length of [70_001, json.length]) {
    const reader = createHeapSnapshotReader()
    for (let at = 0; at < json.length; at += length) reader.write(json.slice(at, at + length))
    const { meta, nodes, edges, strings } = reader.read()
    expect(meta).toEqual(snapshot.meta)
    expect(nodes.length).toBe(arrays.nodes.length)
    expect(nodes.every((value, index) => value === arrays.nodes[index])).toBe(true)
    expect(edges.every((value, index) => value === arrays.edges[index])).toBe(true)
    expect(strings).toEqual(arrays.strings)
  }
})

it('says so if the form of a snapshot is not known', () => {
  const reader = createHeapSnapshotReader()
  reader.write('{"snapshot":{},"objects":[]}')
  expect(() => reader.read()).toThrow('has a form that this version')
})
