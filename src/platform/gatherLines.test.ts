import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { gatherLines } from './gatherLines.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

describe('gatherLines', () => {
  it('writes the lines of one turn at once, in their order', async () => {
    const writes: string[] = []
    const log = gatherLines(text => writes.push(text))
    log('one\n')
    log('two\n')
    expect(writes).toEqual([])
    await turn()
    log('three\n')
    await turn()
    await turn()
    expect(writes).toEqual(['one\ntwo\n', 'three\n'])
  })

  it('keeps nothing back when the process ends', () => {
    const code = `
      import { gatherLines } from ${JSON.stringify(new URL('gatherLines.ts', import.meta.url))}
      gatherLines(text => process.stderr.write(text))('last words')
      process.exit(3)`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code])
    expect([status, stderr.toString()]).toEqual([3, 'last words'])
  })
})
