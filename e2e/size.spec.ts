import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from '@playwright/test'
import { root } from './processes.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const brotli = (file: string): number =>
  brotliCompressSync(readFileSync(join(root, 'dist', file)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
  }).length

const stages = () => readdirSync(join(root, `dist/natter@${version}`)).map(file => `natter@${version}/${file}`)

test('the eager script is at most 3 kB brotli', () => {
  expect(brotli('natter.js')).toBeLessThanOrEqual(3000)
})

test('script, core and panel, styles and English included, are at most 20 kB brotli', () => {
  // What not every visitor needs is a file of its own.
  const files = ['natter.js', ...stages().filter(file => /\/(core|panel)-/.test(file))]
  expect(files).toHaveLength(3)
  expect(stages().filter(file => !file.endsWith('.js'))).toEqual([])
  expect(files.map(brotli).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(20_000)
})
