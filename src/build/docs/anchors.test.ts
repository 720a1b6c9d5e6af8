import { expect, it } from 'vitest'
import { createAnchors } from './anchors.ts'

it.each([
  ['Content Security Policy', 'content-security-policy'],
  ["A message's way", 'a-messages-way'],
  ['3. Embed the widget', '3-embed-the-widget'],
  ['Backup, restore, retention', 'backup-restore-retention'],
  ['Requests, against a bare node:http server', 'requests-against-a-bare-nodehttp-server'],
  ['NATTER_BASE_URL & --base-url', 'natter_base_url----base-url'],
  ['Größe: 12 kB (brotli)', 'größe-12-kb-brotli'],
  ['हिन्दी 日本語', 'हिन्दी-日本語'],
])('gives the heading "%s" the anchor that GitHub gives it', (title, anchor) => {
  expect(createAnchors()(title)).toBe(anchor)
})

it('numbers repeated headings as GitHub does', () => {
  const anchorOf = createAnchors()
  const titles = ['Start', 'Start', 'Start 1', 'Start', 'constructor']
  expect(titles.map(anchorOf)).toEqual(['start', 'start-1', 'start-1-1', 'start-2', 'constructor'])
})
