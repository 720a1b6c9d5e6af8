import type { Page } from '@playwright/test'
import { type Chat, expect, test } from './fakeSite.ts'
import { dialog, expectAccessible, isInTopLayer, isOnTop, openPage } from './topLayer.ts'

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
