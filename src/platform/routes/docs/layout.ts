import { createHash } from 'node:crypto'
import { type Html, html, textOf } from './html.ts'
import { script } from './script.ts'
import { apiStyle } from './styles/api.ts'
import { baseStyle } from './styles/base.ts'
import { guideStyle } from './styles/guides.ts'

/** The files that all pages load. */
export const assets = new Map([
  ['docs.css', { type: 'text/css; charset=utf-8', content: baseStyle + apiStyle + guideStyle }],
  ['docs.js', { type: 'text/javascript; charset=utf-8', content: script }],
])

/** The address of an asset changes with its content: pages and assets are cached independently. */
const assetAddresses = [...assets].map(
  ([name, { content }]) =>
    [name, `${name}?v=${createHash('sha256').update(content).digest('hex').slice(0, 8)}`] as const,
)

/** Allows the style, script and pictures of this server, and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export interface Layout {
  title: string
  description: string
  /** The name and the version, which link to the start of the documentation. */
  brand: Html
  /** The address of `/docs/`, relative to the page. */
  folder: string
  /** The content of the left column, or of the menu on a phone. */
  navigation: Html
  /** The name of the navigation for screen readers. */
  navigationName: string
  /** The title of the menu on a phone. */
  menu: string
  content: Html
}

/** A page of `/docs`. */
export function layout(page: Layout): string {
  const { title, description, brand, folder, navigation, navigationName, menu, content } = page
  const [style, script] = assetAddresses.map(([, address]) => folder + address)
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<aside>${brand}<nav aria-label="${navigationName}">${navigation}</nav></aside>
<details class="menu"><summary>${menu} <span>Contents</span></summary><nav aria-label="${navigationName}, short">${navigation}</nav></details>
${content}
</body>
</html>
`)
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%233b5bdb' d='M2 3a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H7l-4 4v-4a2 2 0 0 1-1-2z'/%3E%3C/svg%3E"
