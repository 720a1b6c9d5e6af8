import type { Page } from '@playwright/test'
import { Chat, expect, test } from './fixtures.ts'

/** The names of all controls of the page, and of those in the same columns as the open panel, at any scroll position. */
const controls = (page: Page) =>
  page.evaluate(() => {
    const panel = document.querySelector('[data-natter]')?.shadowRoot?.querySelector('[part~="panel"]')
    const { left, right } = panel?.getBoundingClientRect() ?? { left: 0, right: innerWidth }
    const all = [...document.querySelectorAll('a, button, input, select, textarea, [tabindex="0"]')]
      .filter(control => control.checkVisibility())
      .map(control => ({
        name: control.ariaLabel || control.textContent || control.id,
        box: control.getBoundingClientRect(),
      }))
    const covered = all.filter(({ box }) => box.left < right && box.right > left)
    return { all: all.map(({ name }) => name), covered: covered.map(({ name }) => name) }
  })

/** Simulates wider fonts and enlarged text. */
const texts = {
  'normal text': () => {},
  'wide text': () => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
    document.adoptedStyleSheets = [sheet]
  },
  'large text': () => {
    document.adoptedStyleSheets = []
    const elements = [...document.querySelectorAll<HTMLElement>('body *:not([data-natter])')]
    const sizes = elements.map(element => Number.parseFloat(getComputedStyle(element).fontSize))
    elements.forEach((element, index) => {
      element.style.fontSize = `${1.3 * (sizes[index] ?? 0)}px`
    })
  },
}

const viewports = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1100, height: 720 },
  { width: 1024, height: 768 },
  { width: 768, height: 1024 },
]

/** Expects that the open chat covers no control, in each viewport and with each kind of text. */
async function expectNothingCovered(page: Page, minControls: number): Promise<void> {
  const chat = new Chat(page)
  await chat.open()
  for (const [name, change] of Object.entries(texts)) {
    await page.evaluate(change)
    for (const viewport of viewports) {
      await page.setViewportSize(viewport)
      const { all, covered } = await controls(page)
      expect(all.length).toBeGreaterThanOrEqual(minControls)
      expect(covered, `${page.url()}, ${viewport.width} px wide, ${name}`).toEqual([])
    }
  }
}

// The opening animation would make the panel smaller while it is measured.
test.beforeEach(({ page }) => page.emulateMedia({ reducedMotion: 'reduce' }))

for (const position of ['end', 'start']) {
  test(`an open chat at the ${position} covers no control of the shop, however wide its fonts are`, async ({
    page,
    shop,
  }) => {
    const address = `${shop.address}/?position=${position}`
    await page.goto(address)
    await expectNothingCovered(page, 50)
    await page.goto(address)
    await shop.signIn('Grace')
    await expectNothingCovered(page, 50)
  })
}

test('an open chat covers no control of the single-page app, however wide its fonts are', async ({ page, shop }) => {
  for (const view of ['', 'orders', 'help', 'sign-in']) {
    await page.goto(`${shop.address}/spa/${view}`)
    await expectNothingCovered(page, 6)
  }
  await page.goto(`${shop.address}/spa/sign-in`)
  await page.getByRole('button', { name: 'Sign in as Grace' }).click()
  await expect(shop.state).toContainText('identified as Grace')
  await expectNothingCovered(page, 8)
})
