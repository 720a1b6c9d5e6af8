import { expect, test } from './fakeSite.ts'
import { dialog, expectAccessible, isInTopLayer, isOnTop, openPage } from './topLayer.ts'

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
  for (const css of distortions) {
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
