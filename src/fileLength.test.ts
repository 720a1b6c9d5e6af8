import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

it('keeps files at 300 lines or fewer', () => {
  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1
  const all = globSync('{src,demo,e2e}/**/*.{ts,tsx,css}', { cwd: root })
  expect(all.filter(file => lines(file) > 300)).toEqual([])
})
