import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { guides, headings, readGuide } from '../../guides.ts'
import { createTestTenants } from '../../platform/testing/testTenants.ts'
import { guidePages, linkAddress, searchPageName, sourcePages } from './pages.ts'
import { renderDocs, searchSections } from './renderDocs.ts'
import { crawlDocs } from './testing/crawlDocs.ts'

const scripts = { 'docs.js': 'export {}', 'search.js': 'export {}' }
const files = new Map([...Object.entries(scripts), ...renderDocs(scripts)])
const { serve, close } = await createTestTenants({
  readBuiltFile: async path => {
    const content = files.get(path.replace(/^docs\//, ''))
    return content === undefined ? null : new Uint8Array(Buffer.from(content))
  },
})
afterAll(close)
const base = `http://127.0.0.1:${(await serve()).port}`

const pathOf = ({ name }: { name: string }) => `/docs${name && '/'}${name}`
const withFile = guidePages.filter(({ file }) => file)
const pages = [...files].flatMap(([name, content]) =>
  name.endsWith('.html') ? [[name, String(content)] as const] : [],
)

describe('the documentation of a running platform', () => {
  it('leads from /docs to every guide and the search, and every link and anchor in it leads somewhere', async () => {
    expect(withFile.map(({ file }) => file).sort()).toEqual([...guides].sort())
    const { ids, broken, elsewhere } = await crawlDocs(base)
    expect(broken).toEqual([])
    const paths = [...ids.keys()]
    const wanted = [...guidePages, ...sourcePages, { name: searchPageName }].map(pathOf)
    expect(wanted.filter(path => !paths.includes(path))).toEqual([])
    // People may follow links to other sites. Pages load nothing from there: their policy is tested below.
    expect(elsewhere.filter(({ protocol }) => protocol !== 'https:')).toEqual([])
  })

  it.each(withFile)('gives the headings of $file the anchors of GitHub', async page => {
    const markup = await (await fetch(base + pathOf(page))).text()
    const ids = [...markup.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(headings(readGuide(page.file)).map(({ anchor }) => anchor))
  })

  it('allows its two scripts by their hashes, and nothing of another server', async () => {
    const policy = (await fetch(`${base}/docs`)).headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}='; style-src 'self'; img-src 'self' data:;/,
    )
    expect(policy).not.toMatch(/unsafe|\*|https?:|connect-src/)
    for (const [, integrity] of pages.flatMap(([, page]) => [...page.matchAll(/<script [^>]*integrity="([^"]*)"/g)]))
      expect(policy).toContain(`'${integrity}'`)
  })
})

it('no page has a script or style of its own, and all addresses are relative, so that a proxy may add a prefix', () => {
  const own = /<style|<script(?! type="module" src="(?:docs\/)?(?:docs|search)\.js\?v=[\w%]+" integrity=")/
  const absolute = / (?:href|src)="\//
  const inline = /<\w[^>]* (?:style|on\w+)="|"javascript:/
  const wrong = pages.flatMap(([name, page]) =>
    [own, absolute, inline].flatMap(each => (each.exec(page)?.[0] ? [`${name}: ${each}`] : [])),
  )
  expect(wrong).toEqual([])
})

it('a link of a guide to a file that has no page fails the build', () => {
  const [page] = withFile
  expect(() => page && linkAddress(page, 'src/platform/cli.ts')).toThrow('README.md links to src/platform/cli.ts')
})

it('the page of a folder shows all of its files', () => {
  const folders = sourcePages.filter(({ files }) => files.length > 1)
  expect(folders).not.toEqual([])
  for (const { path, files } of folders) {
    const inFolder = readdirSync(join(import.meta.dirname, '../../..', path)).map(name => `${path}/${name}`)
    expect(files).toEqual(inFolder.sort())
    expect(new Set(files.map(dirname))).toEqual(new Set([path]))
  }
})

it('the search knows every section of every guide and of the API reference, as plain text', () => {
  const sections = searchSections()
  for (const { name, file } of withFile)
    expect(sections.filter(section => section.name === name).map(({ anchor }) => anchor)).toEqual(
      headings(readGuide(file)).map(({ anchor }) => anchor),
    )
  expect(sections).toContainEqual(
    expect.objectContaining({ name: 'api', anchor: 'upsertContacts', title: 'Upsert contacts' }),
  )
})
