import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '../../contract/index.ts'
import { apiReference } from './apiReference.ts'
import { type Frame, guidePage, type Section, searchPage, sectionsOf, sourcePage } from './page.ts'
import { apiPageName, guidePages, imageFolders, searchPageName, sourcePages } from './pages.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

/** The text of each guide; the API reference is written from the OpenAPI document. */
const guideTexts = () =>
  guidePages.map(page => ({
    page,
    text: page.name === apiPageName ? apiReference(openapi(version)) : read(page.file),
  }))

/** What the search finds. */
export const searchSections = (): Section[] => guideTexts().flatMap(({ page, text }) => sectionsOf(page, text))

/** All files of the documentation, by their path below `dist/docs`. `scripts` are those of the pages, as they were built. */
export function renderDocs(scripts: { 'docs.js': string; 'search.js': string }): Map<string, string | Uint8Array> {
  const style = read('src/build/docs/docs.css')
  const integrity = {
    'docs.css': hash(style),
    'docs.js': hash(scripts['docs.js']),
    'search.js': hash(scripts['search.js']),
  }
  const frame: Frame = { version, integrity }
  const files = new Map<string, string | Uint8Array>([
    ['docs.css', style],
    ['policy.txt', policy(integrity)],
    [`${searchPageName}.html`, searchPage(frame)],
  ])
  for (const { page, text } of guideTexts()) files.set(`${page.name || 'index'}.html`, guidePage(page, text, frame))
  for (const page of sourcePages) {
    const texts = page.files.map(path => ({ path, text: read(path) }))
    files.set(`${page.name}.html`, sourcePage(page, texts, frame))
  }
  for (const folder of imageFolders)
    for (const name of readdirSync(join(root, folder))) files.set(name, readFileSync(join(root, folder, name)))
  return files
}

const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** The Content Security Policy of the pages: their two scripts, by their hashes, and the style and pictures of this server. */
const policy = (integrity: Frame['integrity']): string =>
  [
    "default-src 'none'",
    `script-src '${integrity['docs.js']}' '${integrity['search.js']}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
