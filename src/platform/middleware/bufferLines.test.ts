import { spawnSync } from 'node:child_process'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bufferLines } from './bufferLines.ts'

describe('bufferLines', () => {
  afterEach(() => void vi.useRealTimers())

  it('writes lines that arrive within a moment together, in order', () => {
    vi.useFakeTimers()
    const writes: string[] = []
    const log = bufferLines(text => writes.push(text))
    log('one\n')
    log('two\n')
    expect(writes).toEqual([])
    vi.advanceTimersByTime(20)
    log('three\n')
    vi.advanceTimersByTime(100)
    expect(writes).toEqual(['one\ntwo\n', 'three\n'])
  })

  it('writes everything before the process exits', () => {
    const code = `
      import { bufferLines } from ${JSON.stringify(new URL('bufferLines.ts', import.meta.url))}
      bufferLines(text => process.stderr.write(text))('last words')
      process.exit(3)`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', code])
    expect([status, stderr.toString()]).toEqual([3, 'last words'])
  })
})
