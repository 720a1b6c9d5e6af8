import { expect, test } from '@playwright/test'
import { searchPage } from 'natter/testing'
import { openHtmlPage } from './htmlPage.ts'

// Pages in which names of their own are in the way of the search.

const name = 'Ada Lovelace'

const fields = ['attributes', 'childNodes', 'nodeName', 'nodeValue', 'shadowRoot', 'value', 'id']
const hiddenForms = [
  ['form › title', `<form title="${name}">${fields.map(field => `<input name="${field}">`).join('')}</form>`],
  [
    'form › p › #text',
    `<form><select name="attributes"><option></option></select><input name="childNodes"><p>${name}</p></form>`,
  ],
] as const

for (const [where, html] of hiddenForms) {
  test(`finds what is left in a form whose fields have names of the DOM: ${where}`, async ({ page }) => {
    await openHtmlPage(page, `<body>${html}</body>`)
    const found = await searchPage(page, { texts: [name], memory: false })
    expect(found).toContainEqual(
      expect.objectContaining({ place: 'document', path: ['html', 'body', ...where.split(' › ')] }),
    )
  })
}

test('finds what is left in an object with a field named toString', async ({ page }) => {
  await openHtmlPage(page, '<body></body>')
  await page.evaluate(name => history.replaceState({ toString: 'a word', buyer: name }, ''), name)
  expect(await searchPage(page, { texts: [name], memory: false })).toEqual([
    { text: name, place: 'history.state', path: ['buyer'], excerpt: name },
  ])
})

test('finds what is left in a page that adds toJSON to arrays, as Prototype.js does', async ({ page }) => {
  await openHtmlPage(page, `<body><p>${name}</p></body>`)
  await page.evaluate(name => {
    localStorage.setItem('customer', name)
    Object.assign(Array.prototype, { toJSON: () => 'a list' })
  }, name)
  const found = await searchPage(page, { texts: [name], memory: false })
  expect(found.map(({ place }) => place)).toEqual(['localStorage', 'document'])
})
