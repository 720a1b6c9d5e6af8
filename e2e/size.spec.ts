import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { expect, test } from '@playwright/test'
import { localeFiles } from '../src/widget/strings/locales.ts'
import { root } from './processes.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const brotli = (file: string): number =>
  brotliCompressSync(readFileSync(join(root, 'dist', file)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11 },
  }).length

/** `tabs` of `natter@0.1.0/tabs-Ab1_-9.js`. */
const nameOf = (file: string): string => file.replace(/^.*\/|-.{6}\.js$/g, '')

const folder = `natter@${version}`

/** Beside them the folder holds the script itself, and the single file. */
const stages = () =>
  readdirSync(join(root, 'dist', folder))
    .filter(file => !file.startsWith('natter.'))
    .map(file => `${folder}/${file}`)

test('the eager script is at most 3 kB brotli', () => {
  expect(brotli('natter.js')).toBeLessThanOrEqual(3000)
})

/** What not every visitor needs, fetched when somebody does: at most so many bytes each. */
const later: Record<string, number> = {
  markdown: 12_000,
  placement: 1900,
  attention: 800,
  renewal: 700,
  refusal: 400,
  tabs: 1400,
  locales: 900,
  ...Object.fromEntries(Object.keys(localeFiles).map(tag => [tag, 2000])),
}

test('script, core and panel, styles and English included, are at most 20 kB brotli', () => {
  const files = ['natter.js', ...stages().filter(file => ['core', 'panel'].includes(nameOf(file)))]
  expect(files).toHaveLength(3)
  expect(files.map(brotli).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(20_000)
})

test('every file beside the stages keeps to its own budget', () => {
  const files = stages().filter(file => !['core', 'panel'].includes(nameOf(file)))
  expect(files.map(nameOf).sort()).toEqual(Object.keys(later).sort())
  expect(files.filter(file => !file.endsWith('.js') || brotli(file) > (later[nameOf(file)] ?? 0))).toEqual([])
})

test('the single file is no larger than all that it holds', () => {
  const parts = ['natter.js', ...stages()].map(brotli).reduce((sum, bytes) => sum + bytes, 0)
  expect(brotli(`${folder}/natter.all.js`)).toBeLessThanOrEqual(parts)
})
