import type { Page } from '@playwright/test'
import { scale } from '../src/testScale.ts'
import { findViolations } from './axe.ts'
import { type Chat, expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

/** Opens a page with this body. */
async function openPage(page: Page, fakeSite: FakeSite, { head = '', body = '', attributes = '' }) {
  await openWithHtml(page, fakeSite, {
    head: `<title>Host</title><meta name="viewport" content="width=device-width">${head}`,
    body: `${body}<script src="/natter.js" data-bot-id="bot" ${attributes}></script>`,
  })
  await expect(chatHost(page)).toHaveCount(1)
}

const chatHost = (page: Page) => page.locator('[data-natter]')

/** Whether a click on its centre would reach it. */
const isOnTop = (chat: Chat, part: 'panel' | 'launcher') =>
  chat[part].evaluate(element => {
    const { x, y, width, height } = element.getBoundingClientRect()
    const hit = (element.getRootNode() as ShadowRoot).elementFromPoint(x + width / 2, y + height / 2)
    return element.contains(hit)
  })

const isInTopLayer = (page: Page) =>
  chatHost(page).evaluate(host => !!host.shadowRoot?.querySelector(':modal, :popover-open'))

/** Runs axe, because the panel is in the top layer only here. */
async function expectAccessible(page: Page, chat: Chat) {
  // Wait for the fade-in. Otherwise axe measures contrast against what is behind the panel.
  await chat.panel.evaluate(panel => Promise.all(panel.getAnimations().map(animation => animation.finished)))
  expect(await findViolations(page)).toEqual([])
}

// An alertdialog, to distinguish it from the widget's dialog.
const dialog = `<button onclick="document.querySelector('dialog').showModal()">Check out</button>
  <dialog role="alertdialog" aria-label="Checkout">
    <input aria-label="Card"> <button onclick="Natter.open()">Ask us</button>
    <button onclick="this.closest('dialog').close()">Done</button>
  </dialog>`

test.describe('opened from a modal dialog of the page, the chat', () => {
  const ask = async (page: Page, chat: Chat) => {
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.composer).toBeFocused()
  }

  test.beforeEach(async ({ page, fakeSite, chat }) => {
    await openPage(page, fakeSite, { body: `<main><h1>Shop</h1>${dialog}</main>` })
    await page.getByRole('button', { name: 'Check out' }).click()
    await ask(page, chat)
  })

  test('can be used, and closed without the dialog behind it', async ({ page, chat }) => {
    await test.step('it is in its own dialog without axe violations', async () => {
      await expect(page.getByRole('dialog').filter({ has: chat.launcher })).toHaveAccessibleName(/^(Chat|Acme)$/)
      await expectAccessible(page, chat)
      await chat.composer.press('Escape')
      await expect(page.getByRole('dialog', { includeHidden: true })).toHaveCount(0)
    })
    await test.step('it is closed with its launcher, which is also above the dialog', async () => {
      await ask(page, chat)
      expect(await isOnTop(chat, 'panel')).toBe(true)
      expect(await isOnTop(chat, 'launcher')).toBe(true)
      await chat.say('Is my card safe?')
      await chat.launcher.click()
      await expect(chat.panel).toHaveCount(0)
      await page.getByLabel('Card').fill('4111')
      expect(await isInTopLayer(page)).toBe(false)
    })
    await test.step('it is closed with Escape on the launcher', async () => {
      await ask(page, chat)
      await chat.launcher.focus()
      await page.keyboard.press('Escape')
      await expect(chat.panel).toHaveCount(0)
      await expect(page.getByRole('alertdialog')).toBeVisible()
    })
    await test.step('Escape closes its menu, then the chat, then the dialog', async () => {
      await ask(page, chat)
      await chat.panel.getByRole('button', { name: 'More' }).click()
      await expect(chat.panel.getByRole('menu')).toHaveCount(1)
      await page.keyboard.press('Escape')
      await expect(chat.panel.getByRole('menu')).toHaveCount(0)
      await expect(chat.panel).toHaveCount(1)
      await page.keyboard.press('Escape')
      await expect(chat.panel).toHaveCount(0)
      await expect(page.getByRole('button', { name: 'Ask us' })).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('alertdialog')).toHaveCount(0)
    })
  })

  test('returns to its normal place when the dialog ends, with its draft, focus and scroll position', async ({
    page,
    fakeSite,
    chat,
  }) => {
    const { token } = fakeSite.contact('Ada', 30)
    await page.evaluate(token => window.Natter.auth.contacts.login({ token }).then(() => {}), token)
    await expect(chat.transcript).toContainText('Message 30.')
    for (const [what, end] of [
      ['closes', (dialog: Element) => (dialog as HTMLDialogElement).close()],
      ['is removed', (dialog: Element) => dialog.remove()],
    ] as const) {
      await test.step(`the dialog ${what}`, async () => {
        await chat.composer.fill('Is my')
        await chat.transcript.evaluate(log => log.scrollTo(0, 400))
        await expect(chat.panel.getByRole('button', { name: /Jump to latest|New messages/ })).toBeVisible()
        const top = await chat.transcript.evaluate(log => log.scrollTop)
        await page.locator('dialog[aria-label=Checkout]').evaluate(end)
        await expect.poll(() => isInTopLayer(page)).toBe(false)
        await expect(chat.composer).toBeFocused()
        await page.keyboard.type(' card safe?')
        await expect(chat.composer).toHaveValue('Is my card safe?')
        expect(await chat.transcript.evaluate(log => log.scrollTop)).toBe(top)
        const checkOut = page.getByRole('button', { name: 'Check out' })
        await checkOut.focus()
        await expect(checkOut).toBeFocused()
        if (what === 'is removed') return
        await page.evaluate(() => window.Natter.close())
        await checkOut.click()
        await ask(page, chat)
      })
    }
  })
})

test('a chat opened from or under a dialog of any kind can be used', async ({ page, fakeSite, chat }) => {
  await test.step('from a dialog inside a web component', async () => {
    const component = `<shop-basket></shop-basket><script>
      customElements.define('shop-basket', class extends HTMLElement {
        connectedCallback() {
          const root = this.attachShadow({ mode: 'open' })
          root.innerHTML = '<dialog role="alertdialog"><button onclick="Natter.open()">Ask us</button></dialog>'
          root.firstChild.showModal()
        }
      })
    </script>`
    await openPage(page, fakeSite, { body: component })
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.composer).toBeFocused()
    expect(await isOnTop(chat, 'panel')).toBe(true)
  })
  await test.step('from a custom dialog of the page that traps the focus', async () => {
    const body = `<div id="modal" tabindex="-1"><button onclick="Natter.open()">Ask us</button></div><script>
      document.addEventListener('focusin', ({ target }) => {
        const modal = document.querySelector('#modal')
        if (!modal.contains(target)) modal.focus()
      })
    </script>`
    await openPage(page, fakeSite, { body })
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.composer).toBeFocused()
    await page.keyboard.type('Hello')
    await expect(chat.composer).toHaveValue('Hello')
    await page.keyboard.press('Enter')
    await expect(chat.panel).toContainText('Sent')
  })
  await test.step('a dialog that the page opens later covers the chat until it is opened again', async () => {
    await openPage(page, fakeSite, { body: dialog })
    await chat.open()
    await chat.composer.fill('Is my card safe?')
    await page.getByRole('button', { name: 'Check out' }).click()
    await page.getByLabel('Card').fill('4111')
    expect(await isInTopLayer(page)).toBe(false)
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.composer).toBeFocused()
    await expect(chat.composer).toHaveValue('Is my card safe?')
    expect(await isOnTop(chat, 'panel')).toBe(true)
  })
})

const popover = (kind: 'auto' | 'manual') => `<button popovertarget="help">Help</button>
  <div id="help" popover="${kind}" style="inset: 0; width: 100%; height: 100%">
    <button onclick="Natter.open()">Ask us</button> <button popovertarget="help">Close help</button>
  </div>`

test('opened from a popover of the page, the chat is above it until one of them closes', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('the popover closes', async () => {
    await openPage(page, fakeSite, { body: `<main><h1>Shop</h1>${popover('manual')}</main>` })
    await page.getByRole('button', { name: 'Help', exact: true }).click()
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.composer).toBeFocused()
    await expectAccessible(page, chat)
    expect(await isOnTop(chat, 'panel')).toBe(true)
    expect(await isOnTop(chat, 'launcher')).toBe(true)
    await chat.composer.fill('Is my card safe?')
    await page.getByRole('button', { name: 'Close help' }).click()
    await expect.poll(() => isInTopLayer(page)).toBe(false)
    await expect(chat.composer).toHaveValue('Is my card safe?')
  })
  await test.step('Escape closes the chat and not the popover', async () => {
    await openPage(page, fakeSite, { body: popover('auto') })
    await page.getByRole('button', { name: 'Help', exact: true }).click()
    await page.getByRole('button', { name: 'Ask us' }).click()
    await expect(chat.composer).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(chat.panel).toHaveCount(0)
    await expect(page.locator('#help')).toBeVisible()
  })
})

test('without a top layer the chat covers what the page lets it cover', async ({ page, fakeSite, chat }) => {
  await test.step('zIndex decides what covers the chat, which is not printed', async () => {
    const body =
      '<div style="position: fixed; inset: 0; z-index: 4"></div>' +
      '<div style="position: fixed; inset: 0 0 0 50%; z-index: 10; pointer-events: none" id="above"></div>'
    await openPage(page, fakeSite, { body, attributes: 'data-z-index="5"' })
    expect(await isOnTop(chat, 'launcher')).toBe(true)
    await chat.open()
    expect(await isInTopLayer(page)).toBe(false)
    expect(await isOnTop(chat, 'panel')).toBe(true)
    await page.locator('#above').evaluate(element => element.style.removeProperty('pointer-events'))
    expect(await isOnTop(chat, 'panel')).toBe(false)

    await page.emulateMedia({ media: 'print' })
    await expect(chat.launcher).toBeHidden()
    await expect(chat.panel).toHaveCount(0)
    await page.emulateMedia({ media: 'screen' })
    await expect(chat.composer).toBeVisible()
  })
  await test.step('what the page has made inert stays inert when the chat that covers the screen closes', async () => {
    await page.setViewportSize({ width: 390, height: 700 })
    await openPage(page, fakeSite, {
      body: '<nav inert>Menu</nav><main style="position: fixed; inset: 0; z-index: 9999999">Shop</main><footer>Contact</footer>',
    })
    // By default the launcher is above what pages put on top.
    expect(await isOnTop(chat, 'launcher')).toBe(true)
    await chat.open()
    const inert = (name: string) => page.locator(name).evaluate(element => (element as HTMLElement).inert)
    await expect.poll(() => inert('footer')).toBe(true)
    await page.locator('main').evaluate(element => {
      const main = element as HTMLElement
      main.inert = true
    })
    await chat.composer.press('Escape')
    await expect(chat.panel).toHaveCount(0)
    expect([await inert('nav'), await inert('main'), await inert('footer')]).toEqual([true, true, false])
  })
})

test('launcher, header and composer are in the viewport of a page that is zoomed, transformed or contained', async ({
  page,
  fakeSite,
  chat,
}) => {
  const distortions = [
    'html { zoom: 1.5 }',
    'body { transform: scale(1); height: 100px }',
    'body { contain: layout }',
    'html { zoom: 0.6 }',
    'body { zoom: 1.5 }',
    'body { transform: translateX(0) }',
    'body { filter: grayscale(0) }',
  ]
  for (const css of distortions.slice(0, scale.distortedPages)) {
    await test.step(css, async () => {
      await page.setViewportSize({ width: 1280, height: 720 })
      await openPage(page, fakeSite, {
        head: `<style>${css}</style>`,
        body: '<div style="height: 3000px">Long</div>',
      })
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 700 })
        await expect(chat.launcher).toBeInViewport({ ratio: 1 })
        await chat.open()
        await expect(chat.panel.getByRole('button', { name: 'More' })).toBeInViewport({ ratio: 1 })
        await expect(chat.composer).toBeInViewport({ ratio: 1 })
        await page.mouse.move(10, 10)
        await page.evaluate(() => window.scrollTo(0, 500))
        await expect(chat.panel.getByRole('button', { name: 'More' })).toBeInViewport({ ratio: 1 })
        await page.evaluate(() => window.Natter.close())
      }
    })
  }
})
