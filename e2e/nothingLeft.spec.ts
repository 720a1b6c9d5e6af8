import { searchPage } from 'natter/testing'
import { expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { complaint, expectAllFound, html, type Leftover, name } from './leftovers.ts'

/** Functions of the page. */
declare const store: (key: IDBValidKey, value: unknown) => Promise<void>
declare const show: (html: string) => void
declare const shop: object
declare const attach: (mode: ShadowRootMode) => ShadowRoot

const stored: Leftover[] = [
  [
    `localStorage › cart: "${name}" in "{"owner":"${name}"}"`,
    name => localStorage.setItem('cart', JSON.stringify({ owner: name })),
  ],
  [`localStorage › ${name} › key: "${name}"`, name => localStorage.setItem(name, '1')],
  [`sessionStorage › customer: "${name}"`, name => sessionStorage.setItem('customer', name)],
  [
    `cookies › customer: "${name}" in "customer=Ada%20Lovelace"`,
    name => {
      // biome-ignore lint/suspicious/noDocumentCookie: this is how sites set cookies.
      document.cookie = `customer=${encodeURIComponent(name)}`
    },
  ],
  [`IndexedDB › shop › orders › 17 › items › 1 › buyer: "${name}"`, name => store(17, { items: [1, { buyer: name }] })],
  [`IndexedDB › shop › orders › ${name} › key: "${name}"`, name => store(name, true)],
  [`IndexedDB › shop › orders › 1 › buyer: "${name}"`, name => store(1, new Map([['buyer', name]]))],
  [`IndexedDB › shop › orders › 2 › 0: "${name}"`, name => store(2, new Set([name]))],
  [
    `IndexedDB › shop › orders › 3 › letter: "${name}" in "Dear ${name}"`,
    name => store(3, { letter: new Blob(['Dear ', name]) }),
  ],
  [`IndexedDB › shop › orders › 4 › bytes: "${name}"`, name => store(4, { bytes: new TextEncoder().encode(name) })],
  [
    `/api/me › response: "${name}" in "{"name":"${name}"}"`,
    async name => (await caches.open('api')).put('/api/me', Response.json({ name })),
  ],
  [
    `/api/you › response headers › x-user: "${name}"`,
    async name => (await caches.open('api')).put('/api/you', new Response('', { headers: { 'x-user': name } })),
  ],
  // A new address is a new entry of the history, which has no state.
  [
    `address: "${name}"`,
    name => {
      location.hash = name
    },
  ],
  [`history.state › user › name: "${name}"`, name => history.replaceState({ user: { name } }, '')],
  [
    `window.name: "${name}"`,
    name => {
      window.name = name
    },
  ],
]

const shown: Leftover[] = [
  [`html › body › p.hello › #text: "${name}" in "Dear ${name}!"`, name => show(`<p class="hello">Dear ${name}!</p>`)],
  [`html › body › p#greeting: "${name}"`, name => show(`<p id="greeting">${name.replace(' ', ' <b>')}</b></p>`)],
  [`html › body › img › alt: "${name}" in "Picture of ${name}"`, name => show(`<img alt="Picture of ${name}">`)],
  [`html › body › #comment: "${name}"`, name => show(`<!--${name}-->`)],
  [`html › body › template › #document-fragment › p › #text: "${name}"`, name => show(`<template><p>${name}`)],
  [
    `html › body › textarea: "${name}"`,
    name => {
      show('<textarea>')
      ;(document.querySelector('textarea') as HTMLTextAreaElement).value = name
    },
  ],
  [
    `html › head › title › #text: "${name}"`,
    name => {
      document.title = name
    },
  ],
  [
    `html › body › shop-header › #shadow-root (open) › p › #text: "${name}"`,
    name => {
      attach('open').innerHTML = `<p>${name}</p>`
    },
  ],
  [
    `html › body › shop-header › #shadow-root (closed) › p › #text: "${name}"`,
    name => {
      attach('closed').innerHTML = `<p>${name}</p>`
    },
  ],
  [
    `html › body › shop-header › #shadow-root (closed) › input › #shadow-root (user-agent) › div › #text: "${name}"`,
    name => {
      const root = attach('closed')
      root.innerHTML = '<input>'
      ;(root.querySelector('input') as HTMLInputElement).value = name
    },
  ],
  [
    `frame about:srcdoc › html › body › p › #text: "${name}"`,
    name =>
      new Promise(done => {
        show(`<iframe srcdoc="<p>${name}">`)
        document.querySelector('iframe')?.addEventListener('load', done)
      }),
  ],
]

for (const [where, leftovers] of Object.entries({ 'what it stores': stored, 'its document': shown })) {
  test(`finds what a page has left in ${where}`, async ({ page }) => {
    await openHtmlPage(page, html)
    await expectAllFound(page, leftovers)
  })
}

/** How the page's scripts keep the name in memory. */
const kept: Leftover[] = [
  [`shop › customer › name: "${name}"`, name => Object.assign(shop, { customer: { name } })],
  [`shop › ${name} › key: "${name}"`, name => Object.assign(shop, { [name]: 1 })],
  // As long as nobody reads it, this is two strings, neither of which is the name.
  [
    `shop › greeting: "${name}"`,
    name => Object.assign(shop, { greeting: `Good morning, ${name.slice(0, 6)}${name.slice(6)}` }),
  ],
  [
    `shop › letter: "${name}"`,
    name => Object.assign(shop, { letter: JSON.parse(JSON.stringify('-'.repeat(5_000) + name)) }),
  ],
  // Joined from many strings, and longer than what is searched at once.
  [
    `shop › log: "${name}" in "`,
    name => {
      let log = ''
      for (let line = 0; line < 5_000; line++) log += '-'.repeat(300)
      Object.assign(shop, { log: log + name })
    },
  ],
  // A text of its own: of a text that is held in several places, only the nearest is named.
  [
    `heard: "${name.toUpperCase()}"`,
    name => {
      const heard = name.toUpperCase()
      document.addEventListener('click', () => console.info(heard))
    },
  ],
]

test('finds what is left in memory, and passes once the page has forgotten everything, and not before', async ({
  page,
}) => {
  await openHtmlPage(page, html)
  await page.evaluate(() => Object.assign(window, { shop: {} }))
  await expectAllFound(page, kept, { memory: true, texts: [name, name.toUpperCase()] })

  await page.evaluate(name => localStorage.setItem('customer', name), name)
  const check = complaint(page, { memory: true, timeoutMs: 60_000 })
  const isOver = await Promise.race([check, page.evaluate(() => 'the page still holds it')])
  expect(isOver).toBe('the page still holds it')
  await page.evaluate(() => {
    Reflect.deleteProperty(window, 'shop')
    localStorage.clear()
  })
  expect(await check).toBe('')
})

test('reads storage that is blocked, and databases, without changing them', async ({ page }) => {
  await openHtmlPage(
    page,
    `<body><iframe sandbox="allow-scripts" srcdoc="<p>No origin, no storage</p>"></iframe></body>`,
  )
  expect(await complaint(page)).toBe('')
  await page.evaluate(() => {
    const { databases } = indexedDB
    indexedDB.databases = async () => [...(await databases.call(indexedDB)), { name: 'deleted' }]
  })
  expect(await complaint(page)).toBe('')
  await page.reload()
  expect(await page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0)
})

test('lists each place once, and at most twenty, and refuses a search that can find nothing', async ({
  page,
  context,
}) => {
  await openHtmlPage(page, html)
  await page.evaluate(() => localStorage.setItem('session', '{"token":"c:12ab"}'))
  expect(await searchPage(page, { texts: [/c:[0-9a-f]{4}/], memory: false })).toEqual([
    { text: 'c:12ab', place: 'localStorage', path: ['session'], excerpt: '{"token":"c:12ab"}' },
  ])
  await page.evaluate(name => {
    for (let index = 0; index < 25; index++) localStorage.setItem(`customer ${index}`, name)
  }, name)
  const lines = (await complaint(page)).split('\n')
  expect(lines[0]).toBe('The page still holds what belongs to the person who has signed out:')
  expect(lines.slice(1)).toHaveLength(21)
  expect(lines.at(-1)).toBe('  and 5 more')
  expect(await complaint(page, { texts: [] })).toContain('`texts` is empty')
  await context.tracing.start({ snapshots: true })
  expect(await complaint(page, { memory: true })).toContain("test.use({ trace: 'off' })")
  await context.tracing.stop()
})

const fields = ['attributes', 'childNodes', 'nodeName', 'nodeValue', 'shadowRoot', 'value', 'id']
const hiddenForms = [
  ['form › title', `<form title="${name}">${fields.map(field => `<input name="${field}">`).join('')}</form>`],
  [
    'form › p › #text',
    `<form><select name="attributes"><option></option></select><input name="childNodes"><p>${name}</p></form>`,
  ],
] as const

test('finds what is left in pages with names of their own that are in the way of the search', async ({ page }) => {
  await test.step('a form whose fields have names of the DOM', async () => {
    await openHtmlPage(page, `<body>${hiddenForms.map(([, form]) => form).join('')}</body>`)
    const found = await searchPage(page, { texts: [name], memory: false })
    for (const [where] of hiddenForms)
      expect(found).toContainEqual(
        expect.objectContaining({ place: 'document', path: ['html', 'body', ...where.split(' › ')] }),
      )
  })
  await test.step('an object with a field named toString', async () => {
    await openHtmlPage(page, '<body></body>')
    await page.evaluate(name => history.replaceState({ toString: 'a word', buyer: name }, ''), name)
    expect(await searchPage(page, { texts: [name], memory: false })).toEqual([
      { text: name, place: 'history.state', path: ['buyer'], excerpt: name },
    ])
  })
  await test.step('a page that adds toJSON to arrays, as Prototype.js does', async () => {
    await openHtmlPage(page, `<body><p>${name}</p></body>`)
    await page.evaluate(name => {
      localStorage.setItem('customer', name)
      Object.assign(Array.prototype, { toJSON: () => 'a list' })
    }, name)
    const found = await searchPage(page, { texts: [name], memory: false })
    expect(found.map(({ place }) => place)).toEqual(['localStorage', 'document'])
  })
})
