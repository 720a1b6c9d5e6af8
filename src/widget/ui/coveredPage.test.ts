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
