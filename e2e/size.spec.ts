import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Page } from '@playwright/test'
import { localeFiles } from '../src/widget/i18n/locales.ts'
import { expect, test } from './fakeSite.ts'
import { root } from './processes.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const sizes = new Map<string, number>()

/** The size of a file of the build, compressed. */
function brotli(file: string): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  const size = sizes.get(file) ?? brotliCompressSync(readFileSync(join(root, 'dist', file)), { params }).length
  sizes.set(file, size)
  return size
}

/** The name of a chunk: `tabs` for `natter@0.1.0/tabs-Ab1_-9Zx.js`. */
const nameOf = (file: string): string => file.replace(/^.*\/|-.{8}\.js$/g, '')

const folder = `natter@${version}`

/** The folder also contains the script itself, and the single file. */
const chunks = () =>
  readdirSync(join(root, 'dist', folder))
    .filter(file => !file.startsWith('natter.'))
    .map(file => `${folder}/${file}`)

/**
 * The chunks that are loaded before the visitor can type into the panel: core, panel, and the chunks that they share with
 * others.
 */
const opening = ['core', 'panel', 'preact', 'shared']

/** The maximum size of each chunk that is loaded later. Not every visitor needs each of them. */
const later: Record<string, number> = {
  Transcript: 7400,
  RatingButtons: 610,
  Sources: 390,
  menu: 1720,
  createAttachments: 3200,
  attachments: 3400,
  markdown: 18_680,
  eventStream: 700,
  links: 1250,
  topLayer: 750,
  displayMode: 2040,
  diagnostics: 1160,
  createNotifications: 3150,
  tokenRefresh: 650,
  siteSignIn: 2230,
  tabs: 1750,
  locales: 880,
  ...Object.fromEntries(Object.keys(localeFiles).map(tag => [tag, 2048])),
}

const importsOf = (name: string): string[] => {
  const code = readFileSync(join(root, 'dist', chunks().find(file => nameOf(file) === name) ?? name), 'utf8')
  return [...code.matchAll(/(?:from|import)\s*["'`]\.\/(.*?)["'`]/g)].map(([, file]) => nameOf(file ?? ''))
}

/** Answers the requests for these chunks when the returned function is called. */
async function hold(page: Page, names: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const isHeld = (url: URL) => url.pathname.endsWith('.js') && names.test(nameOf(url.pathname))
  await page.route(isHeld, async route => {
    await promise
    await route.fallback()
  })
  return resolve
}

test('the files that visitors load keep to their budgets and share no code twice', async () => {
  await test.step('the script of a page is at most 6 kB (brotli)', () => {
    expect(brotli('natter.js')).toBeLessThanOrEqual(6000)
  })
  await test.step('a returning visitor with a closed chat loads the signals but no Preact', () => {
    expect(importsOf('core')).toEqual(['shared'])
    expect(importsOf('shared')).toEqual([])
    expect(importsOf('panel')).toEqual(['preact', 'shared'])
  })
  await test.step('no chunk imports core or panel, which would exist twice after a retry from another URL', () => {
    const imported = new Set(chunks().flatMap(file => importsOf(nameOf(file))))
    expect([...imported].sort()).toEqual(['links', 'preact', 'shared'])
  })
  await test.step('each build contains one copy of the signals and of their integration with Preact', () => {
    const read = (folder: string) =>
      readdirSync(join(root, 'dist', folder)).map(file => readFileSync(join(root, 'dist', folder, file), 'utf8'))
    const single = [readFileSync(join(root, 'dist', folder, 'natter.all.js'), 'utf8')]
    const files = chunks().map(file => readFileSync(join(root, 'dist', file), 'utf8'))
    for (const build of [read('widget'), files, single]) {
      for (const mark of [/Symbol\.for\(.preact-signals.\)/g, /ReactiveTextNode/g]) {
        expect(build.join('').match(mark)).toHaveLength(1)
      }
    }
  })
  await test.step('every chunk that loads later stays within its own budget', () => {
    const files = chunks().filter(file => !opening.includes(nameOf(file)))
    expect(files.map(nameOf).sort()).toEqual(Object.keys(later).sort())
    expect(files.filter(file => !file.endsWith('.js') || brotli(file) > (later[nameOf(file)] ?? 0))).toEqual([])
  })
  await test.step('the guide says how large the script and the single file are', () => {
    const guide = readFileSync(join(root, 'src/widget/README.md'), 'utf8')
    const [, ofSingle, ofScript] =
      /It has about (\d+) kB, which every page loads\.\s`natter\.js` has about (\d+) kB/.exec(guide) ?? []
    for (const [file, stated] of [
      [`${folder}/natter.all.js`, ofSingle],
      ['natter.js', ofScript],
    ] as const)
      expect(Math.abs(brotli(file) / 1000 / Number(stated) - 1), file).toBeLessThan(0.08)
  })
  await test.step('the single file is no larger than the sum of its parts', () => {
    const parts = ['natter.js', ...chunks()].map(brotli).reduce((sum, bytes) => sum + bytes, 0)
    expect(brotli(`${folder}/natter.all.js`)).toBeLessThanOrEqual(parts)
  })
})

test('a visitor who opens the chat can type, and sees it, after few bytes', async ({ page, fakeSite, chat }) => {
  let bytes = 0
  page.on('response', response => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith('.js')) bytes += brotli(pathname)
  })
  const releaseOthers = await hold(page, /^menu$/)
  const releaseTranscript = await hold(page, /^Transcript$/)
  await page.goto(fakeSite.url())
  await chat.open()
  expect(bytes, 'until the field takes text').toBeLessThanOrEqual(43_720)
  releaseTranscript()
  await expect(chat.transcript).toBeVisible()
  expect(bytes, 'with the transcript').toBeLessThanOrEqual(51_400)
  releaseOthers()
})
