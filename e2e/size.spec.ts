import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Page } from '@playwright/test'
import { localeFiles } from '../src/widget/i18n/locales.ts'
import { expect, test } from './fakeSite.ts'
import { root } from './processes.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const sizes = new Map<string, number>()

/**
 * The size of a file of the build, compressed. The hashes in the names of chunks count as one: how well those of a build compress
 * with the rest is chance, and makes a difference of up to 50 bytes.
 */
function brotli(file: string): number {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  const code = codeOf(file).replace(/-[\w-]{8}\.js/g, '-Ab1_-9Zx.js')
  const size = sizes.get(file) ?? brotliCompressSync(code, { params }).length
  sizes.set(file, size)
  return size
}

const codeOf = (file: string) => readFileSync(join(root, 'dist', file), 'utf8')

/** The name of a chunk: `panel` for `natter@0.1.0/panel-Ab1_-9Zx.js`. */
const nameOf = (file: string): string => file.replace(/^.*\/|-.{8}\.js$/g, '')

const folder = `natter@${version}`

/** The folder also contains the script itself, and the single file. */
const chunks = () =>
  readdirSync(join(root, 'dist', folder))
    .filter(file => !file.startsWith('natter.'))
    .map(file => `${folder}/${file}`)

/** The maximum size of each chunk. Not every visitor needs each of them. */
const budgets: Record<string, number> = {
  core: 21_280,
  panel: 12_350,
  transcript: 7890,
  more: 5990,
  createAttachments: 2945,
  attachments: 3390,
  markdown: 18_720,
  displayMode: 1870,
  explainUnavailable: 600,
  createNotifications: 3235,
  site: 2410,
  stream: 1260,
  locales: 730,
  ...Object.fromEntries(Object.keys(localeFiles).map(tag => [tag, 2048])),
}

/** The chunks that a chunk imports before it runs. */
const importsOf = (file: string): string[] => {
  const [, list = ''] = /Promise\.all\(\[([^\]]*)\]\.map\(natterImport\)\)/.exec(codeOf(file)) ?? []
  return list
    .split(',')
    .filter(Boolean)
    .map(name => nameOf(name.slice(3, -1)))
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
  await test.step('the script of a page is at most 5.84 kB (brotli)', () => {
    expect(brotli('natter.js')).toBeLessThanOrEqual(5840)
  })
  await test.step('no chunk has a static import, which some browsers never fetch again, and none waits for itself', () => {
    const files = chunks()
    expect(files.filter(file => /(?:^|[;}])import\s*["'`{*\w]|\bfrom\s*["'`]\.\//.test(codeOf(file)))).toEqual([])
    const imports = new Map(files.map(file => [nameOf(file), importsOf(file)]))
    const importing = (name: string) => [...imports].filter(([, names]) => names.includes(name)).map(([own]) => own)
    const ofOpenChat = ['transcript', 'more', 'markdown', 'attachments']
    const ofClosedChat = ['createNotifications', 'createAttachments', 'site', 'stream']
    // A page whose chat stays closed loads neither core nor Preact, and a returning visitor with a closed chat no Preact.
    expect(['panel', ...ofOpenChat, ...ofClosedChat]).toEqual(expect.arrayContaining(importing('core')))
    expect(ofOpenChat).toEqual(expect.arrayContaining(importing('panel')))
    expect(['more', 'markdown', 'attachments']).toEqual(expect.arrayContaining(importing('transcript')))
    expect(['markdown', 'attachments']).toEqual(expect.arrayContaining(importing('more')))
    expect([...new Set([...imports.values()].flat())].sort()).toEqual(['core', 'more', 'panel', 'transcript'])
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
  await test.step('every chunk stays within its budget', () => {
    const files = chunks()
    expect(files.map(nameOf).sort()).toEqual(Object.keys(budgets).sort())
    expect(files.filter(file => !file.endsWith('.js') || brotli(file) > (budgets[nameOf(file)] ?? 0))).toEqual([])
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

test('what the entries for React, Vue and Svelte add to the widget is at most 1 kB (brotli) each', () => {
  const shared = readdirSync(join(root, 'dist/widget')).find(file => file.startsWith('followWidget-'))
  for (const framework of ['react', 'vue', 'svelte'])
    expect(brotli(`widget/${framework}.js`) + brotli(`widget/${shared}`), framework).toBeLessThanOrEqual(1000)
})

test('the desk loads at most 69.5 kB (brotli)', () => {
  const files = [...codeOf('desk/index.html').matchAll(/="\/(desk\/assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, file = '']) => file,
  )
  expect(files.map(file => file.split('.').at(-1)).sort()).toEqual(['css', 'js'])
  expect(files.map(brotli).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(69_500)
})

test('a visitor who opens the chat can type, and sees it, after few bytes', async ({ page, fakeSite, chat }) => {
  let bytes = 0
  const loaded: string[] = []
  page.on('response', response => {
    const { pathname } = new URL(response.url())
    if (!pathname.endsWith('.js')) return
    bytes += brotli(pathname)
    loaded.push(nameOf(pathname))
  })
  const releaseOthers = await hold(page, /^more$/)
  const releaseTranscript = await hold(page, /^transcript$/)
  await page.goto(fakeSite.url())
  await chat.open()
  expect(bytes, `until the field takes text: ${loaded}`).toBeLessThanOrEqual(39_455)
  releaseTranscript()
  await expect(chat.transcript).toBeVisible()
  expect(bytes, `with the transcript: ${loaded}`).toBeLessThanOrEqual(47_340)
  releaseOthers()
})

test('a click asks for all files of an open chat at once', async ({ page, fakeSite, chat }) => {
  const requested: string[] = []
  page.on('request', request => request.url().includes(`/${folder}/`) && requested.push(nameOf(request.url())))
  const release = await hold(page, /^(?!natter\.)/)
  await page.goto(fakeSite.url({ lang: 'de' }))
  await chat.launcher.click()
  await expect.poll(() => requested.toSorted()).toEqual(['core', 'de', 'locales', 'more', 'panel', 'transcript'])
  release()
  await expect(chat.transcript).toBeVisible()
})
