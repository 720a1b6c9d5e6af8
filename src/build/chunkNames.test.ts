import { join } from 'node:path'
import { build, type Plugin } from 'vite'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Builds the chunks and returns them by file name. `rename` replaces an identifier in all sources of the widget. */
async function buildChunks(rename?: readonly [from: string, to: string]): Promise<Map<string, string>> {
  const renaming: Plugin = {
    name: 'renaming',
    enforce: 'pre',
    transform: (code, id) => (rename && /\/src\/widget\/[^?]*$/.test(id) ? code.replaceAll(...rename) : undefined),
  }
  const results = [
    await build({ root, mode: 'chunks', logLevel: 'error', plugins: [renaming], build: { write: false } }),
  ].flat()
  return new Map(
    results
      .flatMap(result => ('output' in result ? result.output : []))
      .map(file => [file.fileName, file.type === 'chunk' ? file.code : `${file.source}`]),
  )
}

test('if a property that core and panel share is renamed, every changed file gets another name, too', async () => {
  const before = await buildChunks()
  const after = await buildChunks(['scopeKey', 'sessionKey'])
  const named = (files: Map<string, string>, start: string) => [...files].find(([name]) => name.startsWith(start))
  for (const start of ['core-', 'panel-']) {
    expect(named(before, start)?.[1]).toContain('scopeKey')
    expect(named(after, start)?.[1]).toContain('sessionKey')
    expect(named(after, start)?.[0]).not.toBe(named(before, start)?.[0])
  }
  const reused = [...before].filter(([name, code]) => after.has(name) && after.get(name) !== code)
  expect(reused.map(([name]) => name)).toEqual([])
})
