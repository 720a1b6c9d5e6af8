import { afterEach, expect, it, vi } from 'vitest'
import { createScriptChunks } from './chunks.ts'

const files = {
  core: 'v1/core-1.js',
  panel: 'v1/panel-1.js',
  next: ['v1/transcript-1.js', 'v1/more-1.js'],
  displayMode: 'v1/displayMode-1.js',
  locales: 'v1/locales-1.js',
  language: 'v1/*-2.js',
  languages: 'de pt-BR pt-PT zh-Hans',
}
const src = 'https://chat.example/natter.js'
const core = 'https://chat.example/v1/core-1.js'

afterEach(() => {
  Reflect.deleteProperty(window, Symbol.for('natter.import'))
})

it('a chunk that fails is fetched from another address, and then exists once for all scripts of the page', async () => {
  const importModule = vi.fn(async (url: string) => {
    if (!url.includes('?')) throw new TypeError('Failed to fetch')
    return { url }
  })
  const chunks = createScriptChunks(src, files, importModule)
  const [first, second] = await Promise.all([chunks.core(), chunks.core()])
  expect(first).toEqual({ url: expect.stringContaining('?') })
  expect(second).toBe(first)
  const other = createScriptChunks('https://chat.example/v1/../natter.js', files, () => Promise.reject())
  expect(await other.core()).toBe(first)
  expect(importModule.mock.calls.flat()).toEqual([core, expect.stringMatching(/core-1\.js\?\d+$/)])
})

it('a chunk that fails at both addresses can be loaded later', async () => {
  let isOffline = true
  const chunks = createScriptChunks(src, files, async () => {
    if (isOffline) throw new TypeError('Failed to fetch')
    return { isLoaded: true }
  })
  await expect(chunks.core()).rejects.toThrow('Failed to fetch')
  isOffline = false
  expect(await chunks.core()).toEqual({ isLoaded: true })
})

it.each([
  ['en-GB', ''],
  ['de-CH,fr', 'de'],
  ['pt', 'pt-BR'],
  ['zh-CN', 'zh-Hans'],
])(
  'with the panel in %s, all that it needs is fetched at once, and the panel waits for none of it',
  async (tags, language) => {
    const imported: string[] = []
    const chunks = createScriptChunks(src, files, async url => {
      imported.push(url.replace(/.*\/|-\d\.js$/g, ''))
      return /transcript|locales/.test(url) ? new Promise(() => {}) : {}
    })
    await chunks.panel(tags)
    expect(imported.sort()).toEqual(['more', 'panel', 'transcript', ...(language && ['locales', language])].sort())
  },
)
