import { expect, type Page, test } from '@playwright/test'
import { expectNothingLeft, type NothingLeftOptions, searchPage } from 'natter/testing'
import { openHtmlPage } from './htmlPage.ts'

// A trace keeps old page content in the page's memory.
test.use({ trace: 'off' })

const name = 'Ada Lovelace'

/** What the check says of a page, or nothing if it passes. */
const complaint = (page: Page, options: Partial<NothingLeftOptions> = {}): Promise<string> =>
  expectNothingLeft(page, { texts: [name], memory: false, timeoutMs: 0, ...options }).then(
    () => '',
    error => error.message,
  )

const html = `<script>
  function store(key, value) {
    const request = indexedDB.open('shop')
    request.onupgradeneeded = () => request.result.createObjectStore('orders')
    return new Promise((resolve, reject) => {
      request.onsuccess = () => {
        const transaction = request.result.transaction('orders', 'readwrite')
        transaction.objectStore('orders').put(value, key)
        transaction.oncomplete = resolve
        transaction.onerror = reject
      }
    })
  }
  const show = html => document.body.insertAdjacentHTML('beforeend', html)
  function attach(mode) {
    show('<shop-header>')
    return document.querySelector('shop-header').attachShadow({ mode })
  }
</script><body></body>`

/** Functions of the page. */
declare const store: (key: IDBValidKey, value: unknown) => Promise<void>
declare const show: (html: string) => void
declare const attach: (mode: ShadowRootMode) => ShadowRoot

/** What the check says, and how the page has kept the name. */
type Leftover = [said: string, keep: (name: string) => unknown]

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
  [`IndexedDB › shop › orders › 1 › 0: "${name}"`, name => store(1, new Set([name]))],
  [
    `IndexedDB › shop › orders › 1 › letter: "${name}" in "Dear ${name}"`,
    name => store(1, { letter: new Blob(['Dear ', name]) }),
  ],
  [`IndexedDB › shop › orders › 1 › bytes: "${name}"`, name => store(1, { bytes: new TextEncoder().encode(name) })],
  [
    `/api/me › response: "${name}" in "{"name":"${name}"}"`,
    async name => (await caches.open('api')).put('/api/me', Response.json({ name })),
  ],
  [
    `/api/me › response headers › x-user: "${name}"`,
    async name => (await caches.open('api')).put('/api/me', new Response('', { headers: { 'x-user': name } })),
  ],
  [`history.state › user › name: "${name}"`, name => history.replaceState({ user: { name } }, '')],
  [
    `window.name: "${name}"`,
    name => {
      window.name = name
    },
  ],
  [
    `address: "${name}"`,
    name => {
      location.hash = name
    },
  ],
]

/** The same with texts that are too long to be read at once. */
const long: Leftover[] = [
  [
    `sessionStorage › letter: "${name}" in "`,
    name => sessionStorage.setItem('letter', '-'.repeat(1_000_000 - 5) + name + '-'.repeat(1_000_000)),
  ],
  [
    `IndexedDB › shop › orders › 1 › film: "${name}" in "`,
    name => {
      const megabyte = new Uint8Array(1_000_000).fill(45)
      return store(1, { film: new Blob([...Array(20).fill(megabyte), megabyte.subarray(5), name, megabyte]) })
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

for (const [said, keep] of [...stored, ...long, ...shown]) {
  test(`finds what is left: ${said}`, async ({ page }) => {
    await openHtmlPage(page, html)
    await page.evaluate(keep, name)
    expect(await complaint(page)).toContain(said)
  })
}

/** How the page's scripts keep the name in memory. */
const kept: Leftover[] = [
  [`shop › customer › name: "${name}"`, name => Object.assign(window, { shop: { customer: { name } } })],
  [`shop › ${name} › key: "${name}"`, name => Object.assign(window, { shop: { [name]: 1 } })],
  // As long as nobody reads it, this is two strings, neither of which is the name.
  [
    `shop › greeting: "${name}"`,
    name => Object.assign(window, { shop: { greeting: `Good morning, ${name.slice(0, 6)}${name.slice(6)}` } }),
  ],
  [
    `shop › letter: "${name}"`,
    name => Object.assign(window, { shop: { letter: JSON.parse(JSON.stringify('-'.repeat(5_000) + name)) } }),
  ],
  // Joined from many strings, and longer than what is searched at once.
  [
    `shop › log: "${name}" in "`,
    name => {
      let log = ''
      for (let line = 0; line < 5_000; line++) log += '-'.repeat(300)
      Object.assign(window, { shop: { log: log + name } })
    },
  ],
  [
    `name: "${name}"`,
    name => {
      document.addEventListener('click', () => console.info(name))
    },
  ],
]

for (const [said, keep] of kept) {
  test(`finds what is left in memory: ${said}`, async ({ page }) => {
    await openHtmlPage(page, html)
    expect(await complaint(page, { memory: true })).toBe('')
    await page.evaluate(keep, name)
    expect(await complaint(page, { memory: true })).toContain(said)
  })
}

test('passes once the page has forgotten everything, and not before', async ({ page }) => {
  await openHtmlPage(page, html)
  await page.evaluate(name => {
    Object.assign(window, { customer: { name } })
    localStorage.setItem('customer', name)
  }, name)
  const check = complaint(page, { memory: true, timeoutMs: 60_000 })
  const isOver = await Promise.race([check, page.evaluate(() => 'the page still holds it')])
  expect(isOver).toBe('the page still holds it')
  await page.evaluate(() => {
    Reflect.deleteProperty(window, 'customer')
    localStorage.clear()
  })
  expect(await check).toBe('')
})

test('does not search what Playwright has compared before', async ({ page }) => {
  await openHtmlPage(page, '<body><p>Hello Ada Lovelace</p></body>')
  await expect(page.locator('p')).toContainText('Ada Lovelace')
  await expect(page.getByText('Ada Lovelace')).toBeVisible()
  await page.evaluate(() => document.querySelector('p')?.remove())
  expect(await complaint(page, { memory: true, timeoutMs: 5_000 })).toBe('')
})

test('passes where storage is blocked', async ({ page }) => {
  await openHtmlPage(
    page,
    `<body><iframe sandbox="allow-scripts" srcdoc="<p>No origin, no storage</p>"></iframe></body>`,
  )
  expect(await complaint(page)).toBe('')
})

test('names a database that cannot be opened, rather than waiting for it', async ({ page }) => {
  await openHtmlPage(page, html)
  await page.evaluate(async () => {
    await store(1, 'kept')
    await new Promise(resolve => {
      // The connection stays open, so the deletion waits for it, and all that is asked of the database later waits, too.
      indexedDB.open('shop').onsuccess = () => {
        indexedDB.deleteDatabase('shop').onblocked = resolve
      }
    })
  })
  expect(await complaint(page)).toContain('The database "shop" can\'t be opened')
})

test('does not take a database for blocked that the browser refuses to open', async ({ page }) => {
  await openHtmlPage(page, html)
  await page.evaluate(async () => {
    await store(1, 'kept')
    indexedDB.open = () => {
      throw new DOMException('The page may not open databases.', 'SecurityError')
    }
    // Longer than a database is given to open.
    caches.keys = () => new Promise(resolve => setTimeout(resolve, 12_000, []))
  })
  expect(await complaint(page)).toBe('')
})

test('does not create a database that it reads', async ({ page }) => {
  await openHtmlPage(page, html)
  await page.evaluate(() => {
    const { databases } = indexedDB
    indexedDB.databases = async () => [...(await databases.call(indexedDB)), { name: 'deleted' }]
  })
  expect(await complaint(page)).toBe('')
  await page.reload()
  expect(await page.evaluate(async () => (await indexedDB.databases()).length)).toBe(0)
})

test('lists each place once, and at most twenty', async ({ page }) => {
  await openHtmlPage(page, html)
  await page.evaluate(name => {
    for (let index = 0; index < 25; index++) localStorage.setItem(`customer ${index}`, name)
  }, name)
  const lines = (await complaint(page)).split('\n')
  expect(lines[0]).toBe('The page still holds what belongs to the person who has signed out:')
  expect(lines.slice(1)).toHaveLength(21)
  expect(lines.at(-1)).toBe('  and 5 more')
})

test('refuses a search that can find nothing', async ({ page, context }) => {
  await openHtmlPage(page, html)
  expect(await complaint(page, { texts: [] })).toContain('`texts` is empty')
  await context.tracing.start({ snapshots: true })
  expect(await complaint(page, { memory: true })).toContain("test.use({ trace: 'off' })")
  await context.tracing.stop()
})

test('the findings of a search name text, place, path and excerpt', async ({ page }) => {
  await openHtmlPage(page, html)
  await page.evaluate(() => localStorage.setItem('session', '{"token":"c:12ab"}'))
  expect(await searchPage(page, { texts: [/c:[0-9a-f]{4}/], memory: false })).toEqual([
    { text: 'c:12ab', place: 'localStorage', path: ['session'], excerpt: '{"token":"c:12ab"}' },
  ])
})
