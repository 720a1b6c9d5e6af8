import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CoveredPage, createCoveredPage } from './coveredPage.ts'

let page: CoveredPage
let host: HTMLElement
let end: AbortController

beforeEach(() => {
  document.body.innerHTML = '<main>Shop</main><aside inert>Menu</aside><div id="host"></div>'
  host = document.querySelector('#host') as HTMLElement
  end = new AbortController()
  page = createCoveredPage(host.attachShadow({ mode: 'open' }), end.signal)
})
afterEach(() => {
  page.setCovered(false)
  end.abort()
})

/** Shows another body, as Turbo does; the loader moves the chat into it. */
async function showBody(body: HTMLElement) {
  document.body.replaceWith(body)
  body.append(host)
  await Promise.resolve()
}
const inert = (name: string) => document.querySelector<HTMLElement>(name)?.inert

test('a body that replaces the covered one is inert, too, and the old one is not when it comes back', async () => {
  const { body } = document
  page.setCovered(true)
  expect([inert('main'), inert('#host')]).toEqual([true, false])
  const other = document.createElement('body')
  other.innerHTML = '<nav>Menu</nav><main inert>Shop</main>'
  await showBody(other)
  expect([inert('nav'), inert('main'), inert('#host')]).toEqual([true, true, false])
  page.setCovered(false)
  expect([inert('nav'), inert('main')]).toEqual([false, true])
  await showBody(body)
  expect([inert('main'), inert('aside')]).toEqual([false, true])
})

test('a copy that the page has made of the covered body is not inert when it is shown after the chat has been closed', async () => {
  page.setCovered(true)
  const copy = document.body.cloneNode(true) as HTMLElement
  copy.querySelector('#host')?.remove()
  page.setCovered(false)
  await showBody(copy)
  expect([inert('main'), inert('aside')]).toEqual([false, true])
  page.setCovered(true)
  expect([inert('main'), inert('aside')]).toEqual([true, true])
})

test('a page without a body for a moment, as while it is being replaced, does no harm', async () => {
  const { body } = document
  page.setCovered(true)
  body.remove()
  await Promise.resolve()
  document.documentElement.append(body)
  await Promise.resolve()
  page.setCovered(false)
  expect(inert('main')).toBe(false)
})

test('an element that the page adds while it is covered is inert, too, until the chat is closed', async () => {
  page.setCovered(true)
  const banner = document.createElement('section')
  document.body.append(banner)
  await Promise.resolve()
  expect(banner.inert).toBe(true)
  page.setCovered(false)
  expect(banner.inert).toBe(false)
  const later = document.createElement('footer')
  document.body.append(later)
  await Promise.resolve()
  expect(later.inert).toBe(false)
})

test('an element that the page removes while it is covered is not inert in another place', async () => {
  page.setCovered(true)
  const main = document.querySelector('main') as HTMLElement
  const aside = document.querySelector('aside') as HTMLElement
  main.remove()
  aside.remove()
  await Promise.resolve()
  expect([main.inert, aside.inert]).toEqual([false, true])
})

test('dialogs and popovers that the page may open above the panel stay usable', async () => {
  document.body.insertAdjacentHTML('beforeend', '<dialog id="early"></dialog>')
  page.setCovered(true)
  document.body.insertAdjacentHTML('beforeend', '<dialog id="late"></dialog><div popover></div>')
  await Promise.resolve()
  expect([inert('#early'), inert('#late'), inert('[popover]')]).toEqual([false, false, false])
})
