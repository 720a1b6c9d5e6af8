import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guides, headings, prose, readGuide } from '../../../../guides.ts'
import { type HttpServer, startServer } from '../../../server/server.ts'
import { crawlDocs } from '../../../testing/crawlDocs.ts'
import { createTestTenants, type TestTenants } from '../../../testing/testTenants.ts'
import { guidePages, linkAddress, sourcePages } from './pages.ts'

let tenants: TestTenants
let server: HttpServer
let base: string
beforeAll(async () => {
  tenants = await createTestTenants()
  server = await startServer(tenants.platform, { host: '127.0.0.1', port: 0 })
  base = `http://127.0.0.1:${server.port}`
})
afterAll(async () => {
  await server.close()
  await tenants.close()
})

const pathOf = ({ name }: { name: string }) => `/docs${name && '/'}${name}`
const withFile = guidePages.filter(({ file }) => file)

describe('the documentation of a running platform', () => {
  it('leads from /docs to every guide, and every link and anchor in it leads somewhere', async () => {
    expect(withFile.map(({ file }) => file).sort()).toEqual([...guides].sort())
    const { ids, broken, elsewhere } = await crawlDocs(base)
    expect(broken).toEqual([])
    const paths = [...ids.keys()]
    expect([...guidePages, ...sourcePages].map(pathOf).filter(path => !paths.includes(path))).toEqual([])
    // People may follow links to other sites. Pages load nothing from there: their policy is tested with their route.
    expect(elsewhere.filter(({ protocol }) => protocol !== 'https:')).toEqual([])
  })

  it.each(withFile)('gives the headings of $file the anchors of GitHub', async page => {
    const markup = await (await fetch(base + pathOf(page))).text()
    const ids = [...markup.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(headings(readGuide(page.file)).map(({ anchor }) => anchor))
  })

  it.each(withFile)('keeps every link of $file', page => {
    const links = [...prose(readGuide(page.file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter(link => linkAddress(page, link) === null)).toEqual([])
  })

  it('answers an unknown page with 404', async () => {
    for (const path of [
      '/docs/none',
      '/docs/constructor',
      '/docs/__proto__',
      '/docs/..%2FREADME.md',
      '/docs/%2e%2e%2fpackage.json',
    ])
      expect([path, (await fetch(base + path)).status]).toEqual([path, 404])
  })

  it('works below a path of another server', async () => {
    // All addresses are relative, so a proxy may add a prefix.
    for (const path of ['/docs', '/docs/api', '/docs/widget', '/docs/demo-server']) {
      const text = await (await fetch(base + path)).text()
      expect([...text.matchAll(/ (?:href|src)="(\/[^"]*)"/g)].map(([, link]) => link)).toEqual([])
    }
  })
})

it('the page of a folder shows all of its files', () => {
  const folders = sourcePages.filter(({ files }) => files.length > 1)
  expect(folders).not.toEqual([])
  for (const { path, files } of folders) {
    const inFolder = readdirSync(join(import.meta.dirname, '../../../../..', path)).map(name => `${path}/${name}`)
    expect(files).toEqual(inFolder.sort())
    expect(new Set(files.map(dirname))).toEqual(new Set([path]))
  }
})
