import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** Records all requests, console errors and policy violations, except the requests for the page, its style and its script. */
function recordRequestsAndErrors(page: Page): string[] {
  const seen: string[] = []
  page.on('request', request => {
    const { protocol, pathname } = new URL(request.url())
    const isOwn = ['/docs/api', '/docs/docs.css', '/docs/docs.js'].includes(pathname)
    if (!isOwn && protocol !== 'data:') seen.push(request.url())
  })
  page.on('console', line => seen.push(line.text()))
  page.on('pageerror', error => seen.push(String(error)))
  return seen
}

// axe needs more than half a minute for the whole page, so it checks one element of each kind.
const kinds = ['aside', 'main > section:first-child', '#createContact', '#turnRequested', '#schema-Message', '.errors']

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the API reference loads nothing else, violates no policy and has no axe violation (${colorScheme})`, async ({
    page,
    platform,
  }) => {
    const seen = recordRequestsAndErrors(page)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto(`${platform.baseUrl}/docs/api`)
    await expect(page.getByRole('heading', { name: 'Natter API', level: 1 })).toBeVisible()
    const axe = new AxeBuilder({ page })
    for (const kind of kinds) axe.include(kind)
    expect((await axe.analyze()).violations).toEqual([])
    expect(seen).toEqual([])
  })
}

test('the API reference can be read with the keyboard: a link skips the contents, and the contents lead to each section', async ({
  page,
  platform,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${platform.baseUrl}/docs/api`)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('main')).toBeFocused()

  const contents = page.getByRole('navigation', { name: 'Contents', exact: true })
  await contents.getByRole('link', { name: 'Revoke a contact token' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Revoke a contact token' })).toBeInViewport()
  await expect(contents.locator('[aria-current]')).toHaveText(/Revoke a contact token/)
})

test('the Copy button copies a complete command', async ({ page, platform, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${platform.baseUrl}/docs/api#createContact`)
  const card = page.locator('#createContact figure').first()
  await card.getByRole('button', { name: 'Copy' }).click()
  await expect(card.getByRole('button')).toHaveText('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl -X PUT "\$BASE.*\}'$/s)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true })

  test('the API reference needs no horizontal scrolling, and its table of contents is collapsed', async ({
    page,
    platform,
  }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${platform.baseUrl}/docs/api`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    const contents = page.getByRole('navigation', { name: 'Contents, short' })
    await expect(contents).toBeHidden()
    await page.getByText('Contents', { exact: true }).click()
    await contents.getByRole('link', { name: 'Search for contacts' }).click()
    await expect(contents).toBeHidden()
    await expect(page.getByRole('heading', { name: 'Search for contacts' })).toBeInViewport()
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the API reference has the same content', async ({ page, platform }) => {
    await page.goto(`${platform.baseUrl}/docs/api`)
    await page.getByRole('link', { name: 'Upsert contacts' }).first().click()
    await expect(page.getByRole('heading', { name: 'Upsert contacts' })).toBeInViewport()
    await expect(page.getByRole('button')).toHaveCount(0)
  })
})
