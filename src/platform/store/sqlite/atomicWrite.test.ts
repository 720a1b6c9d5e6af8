import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { atomicWrite } from './atomicWrite.ts'

describe('atomicWrite', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('leaves no temporary file, whether it succeeds or fails', () => {
    const fill = (partial: string) => {
      for (const log of ['', '-journal']) writeFileSync(partial + log, '')
      return existsSync(partial)
    }
    expect(atomicWrite(join(folder, 'b.db'), fill)).toBe(true)
    expect(() =>
      atomicWrite(join(folder, 'b.db'), partial => {
        fill(partial)
        throw new Error('no')
      }),
    ).toThrow('no')
    expect(readdirSync(folder)).toEqual([])
  })

  it('removes only what a killed run for the same target left more than a day ago', () => {
    const partial = (target: string, number: number) => `${target}.0000000${number}-0000-4000-8000-000000000000.partial`
    const stale = [partial('b.db', 1), `${partial('b.db', 1)}-journal`]
    const others = ['b.db', 'b.db.old.partial', partial('another.db', 1), partial('another-b.db', 1)]
    const young = partial('b.db', 2)
    for (const name of [...stale, ...others, young]) writeFileSync(join(folder, name), '')
    for (const name of [...stale, ...others]) utimesSync(join(folder, name), 1, 1)
    atomicWrite(join(folder, 'b.db'), () => {})
    expect(readdirSync(folder).sort()).toEqual([...others, young].sort())
  })
})
