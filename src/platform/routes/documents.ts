import type { Context } from 'hono'
import { openapi } from '../../contract/index.ts'
import { problem } from '../domain/problem.ts'
import { acceptsBrotli, createCompressor } from './compressed.ts'
import { apiPage } from './docs/api/page.ts'
import { apiPageName, guidePages, imageFile, sourcePages } from './docs/guides/pages.ts'
import { assets, pagePolicy } from './docs/layout.ts'
import type { ReadPackageFile } from './readBuiltFile.ts'
import { withEtag } from './withEtag.ts'

const caching = { 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' }
const json = { ...caching, 'content-type': 'application/json' }
const page = { ...caching, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy }
const svg = {
  ...caching,
  'content-type': 'image/svg+xml',
  // Plots have a style for dark mode inside.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}
const webp = { 'cache-control': caching['cache-control'], 'content-type': 'image/webp' }

export interface DocumentRoutes {
  /** The OpenAPI document. */
  openapi(c: Context): Promise<Response>
  /** Where the documentation begins. */
  docs(c: Context): Promise<Response>
  /** A guide, the OpenAPI document as a page for people, or what the pages load: style, script and pictures. */
  docsPage(c: Context): Promise<Response>
}

/** The OpenAPI document and the documentation. Each page is created when first requested, to keep the start fast. */
export function documentRoutes(version: string, readPackageFile: ReadPackageFile): DocumentRoutes {
  const compress = createCompressor()
  const made = new Map<string, Uint8Array<ArrayBuffer>>()
  const serve = async (
    c: Context,
    path: string,
    headers: Record<string, string>,
    make: () => string | Promise<string>,
  ) => {
    const content = made.get(path) ?? new TextEncoder().encode(await make())
    made.set(path, content)
    if (!acceptsBrotli(c)) return withEtag(c, content, headers)
    return withEtag(c, await compress(path, content), { ...headers, 'content-encoding': 'br' })
  }
  const read = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = await readPackageFile(path)
    if (!bytes) throw nothingHere()
    return bytes
  }
  const readText = async (path: string): Promise<string> => new TextDecoder().decode(await read(path))

  async function createPage(name: string): Promise<string> {
    if (name === apiPageName) return apiPage(openapi(version))
    const guide = guidePages.find(each => each.name === name)
    const source = sourcePages.find(each => each.name === name)
    // The Markdown parser is loaded when somebody reads a guide.
    const { guidePage, sourcePage } = await import('./docs/guides/page.ts')
    if (guide) return guidePage(guide, await readText(guide.file), version)
    if (!source) throw nothingHere()
    const files = source.files.map(async path => ({ path, text: await readText(path) }))
    return sourcePage(source, await Promise.all(files), version)
  }

  return {
    openapi: c => serve(c, '/v1/openapi.json', json, () => JSON.stringify(openapi(version))),
    docs: c => serve(c, '/docs', page, () => createPage('')),
    async docsPage(c) {
      // Not the path of the request, which may encode the same name in many ways.
      const name = c.req.param('page') ?? ''
      const path = `/docs/${name}`
      const asset = assets.get(name)
      if (asset) return serve(c, path, { ...caching, 'content-type': asset.type }, () => asset.content)
      const image = imageFile(name)
      if (!image) return serve(c, path, page, () => createPage(name))
      return image.endsWith('.svg') ? serve(c, path, svg, () => readText(image)) : withEtag(c, await read(image), webp)
    },
  }
}

const nothingHere = () => problem('not_found', { detail: 'There is no such page.' })
