import type { Page } from '@playwright/test'
import { expect, type FakeSite, openWithHtml, test } from './fakeSite.ts'

/** Signs in a new contact called Ada, who has 40 messages, and opens her chat. */
async function openAsAda(page: Page, fakeSite: FakeSite): Promise<void> {
  const { token } = fakeSite.contact('Ada Lovelace', 40)
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await page.evaluate(() => window.Natter.open())
  await expect(page.locator('[part~="transcript"]')).toContainText('Message 40')
}

// Each test looks at the panel in the task after the one that closes it: the timer that removes it runs later.

test('a closed panel moves out in a moment, and nothing of it outlasts a hidden widget or a sign-out', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await openAsAda(page, fakeSite)
  await test.step('it moves out as it was, and the chat is closed meanwhile', async () => {
    await chat.composer.fill('A long message\n'.repeat(20))
    const found = await page.evaluate(async () => {
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      const composer = root.querySelector('textarea') as HTMLTextAreaElement
      composer.scrollTop = 1000
      const scrolled = () => `${root.querySelector('.log')?.scrollTop} ${composer.scrollTop}`
      const before = scrolled()
      window.Natter.close()
      await new Promise(resolve => setTimeout(resolve))
      const panel = root.querySelector('.leaving') as HTMLElement
      const { x, y, width, height } = panel.getBoundingClientRect()
      return {
        animation: getComputedStyle(panel).animationName,
        before,
        after: scrolled(),
        isBehindLauncher:
          panel.compareDocumentPosition(root.querySelector('.launcher') as Node) === Node.DOCUMENT_POSITION_FOLLOWING,
        isExpanded: root.querySelector('.launcher')?.getAttribute('aria-expanded'),
        isAtPointer: document.elementFromPoint(x + width / 2, y + height / 2) === root.host,
      }
    })
    expect(found.before).toMatch(/^[1-9]\d* [1-9]/)
    expect(found).toEqual({
      animation: 'leave',
      before: found.before,
      after: found.before,
      isBehindLauncher: true,
      isExpanded: 'false',
      isAtPointer: false,
    })
    await expect(page.locator('.leaving')).toHaveCount(0)
    await chat.launcher.click()
    await expect(chat.composer).toBeFocused()
  })
  await test.step('it does not come back when the page hides and shows the widget', async () => {
    const found = await page.evaluate(async () => {
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      const isThere = () => !!root.querySelector('.leaving')
      window.Natter.close()
      await new Promise(resolve => setTimeout(resolve))
      const before = isThere()
      window.Natter.hide()
      await null
      window.Natter.show()
      return [before, isThere()]
    })
    expect(found).toEqual([true, false])
  })
  await test.step('it does not move out when the page hides the widget', async () => {
    await page.evaluate(() => window.Natter.open())
    await expect(chat.transcript).toContainText('Message 40')
    const isThere = await page.evaluate(async () => {
      window.Natter.hide()
      await new Promise(resolve => setTimeout(resolve))
      return !!document.querySelector('[data-natter]')?.shadowRoot?.querySelector('.leaving')
    })
    expect(isThere).toBe(false)
  })
  await page.evaluate(() => window.Natter.show())
  await test.step('nothing of it is left once the visitor is signed out meanwhile', async () => {
    await page.evaluate(() => window.Natter.open())
    await expect(chat.transcript).toContainText('Message 40')
    const [before, after] = await page.evaluate(async () => {
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      window.Natter.close()
      await new Promise(resolve => setTimeout(resolve))
      const before = root.querySelector('.leaving')?.textContent
      void window.Natter.auth.contacts.logout()
      return [before, root.textContent]
    })
    expect(before).toContain('Message 40')
    expect(after).not.toMatch(/Message \d|Ada/)
  })
  await test.step('it does not move out when the page closes the chat and signs the visitor out', async () => {
    await openAsAda(page, fakeSite)
    const after = await page.evaluate(async () => {
      window.Natter.close()
      void window.Natter.auth.contacts.logout()
      await new Promise(resolve => setTimeout(resolve))
      return document.querySelector('[data-natter]')?.shadowRoot?.textContent
    })
    expect(after).not.toMatch(/Message \d|Ada/)
  })
})

test('while the panel moves out the page stays as it is, and no animation starts again', async ({
  page,
  fakeSite,
  chat,
}) => {
  await test.step('beside a launcher of the page', async () => {
    await openWithHtml(page, fakeSite, {
      body: '<script src="/natter.js" data-bot-id="bot" data-launcher=".help"></script><button class="help">Help</button><p></p>',
    })
    await page.getByRole('button', { name: 'Help' }).click()
    await expect(chat.composer).toBeFocused()
    await expect(chat.transcript).toBeVisible()
    // Wait for the end of the opening animation.
    await page.locator('.panel').evaluate(panel => Promise.all(panel.getAnimations().map(({ finished }) => finished)))
    const [before, after] = await page.evaluate(async () => {
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      // It comes after the widget.
      const end = document.body.appendChild(document.createElement('a'))
      end.textContent = 'End'
      const boxes = (panel: string) =>
        [end, root.querySelector(panel) as Element].map(each => each.getBoundingClientRect())
      const before = boxes('.panel')
      window.Natter.close()
      await new Promise(resolve => setTimeout(resolve))
      for (const animation of root.getAnimations()) animation.currentTime = 0
      return [before, boxes('.leaving')]
    })
    expect(after).toEqual(before)
  })
  await test.step('with animations of the page', async () => {
    const style = `<style>@keyframes site { from { opacity: 0 } } [data-natter]::part(panel), [data-natter]::part(message) { animation: site 0.3s }</style>`
    await openWithHtml(page, fakeSite, { head: style, body: '<script src="/natter.js" data-bot-id="bot"></script>' })
    await chat.open()
    await chat.say('Where is my order?')
    await chat.panel.getByRole('button', { name: 'More' }).click()
    await chat.panel.getByRole('menuitem', { name: 'End chat' }).click()
    await expect(chat.panel.getByRole('alertdialog')).toBeVisible()
    const running = await page.evaluate(async () => {
      window.Natter.close()
      await new Promise(resolve => setTimeout(resolve))
      const panel = document.querySelector('[data-natter]')?.shadowRoot?.querySelector('.leaving')
      return panel?.getAnimations({ subtree: true }).map(animation => (animation as CSSAnimation).animationName)
    })
    expect(running).toEqual(['leave'])
  })
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })

  test('the page can be used at once while the panel moves out', async ({ page, fakeSite }) => {
    await page.goto(fakeSite.url())
    await openAsAda(page, fakeSite)
    const found = await page.evaluate(async () => {
      const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
      const wasInert = !!document.querySelector('[inert]')
      window.Natter.close()
      await new Promise(resolve => setTimeout(resolve))
      return {
        wasInert,
        isLeaving: !!root.querySelector('.leaving'),
        isInert: !!document.querySelector('[inert]'),
        isAtPointer: document.elementFromPoint(40, 70) === root.host,
      }
    })
    expect(found).toEqual({ wasInert: true, isLeaving: true, isInert: false, isAtPointer: false })
  })
})
