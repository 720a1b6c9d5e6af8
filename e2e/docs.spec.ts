import type { Page } from '@playwright/test'
import { findViolations } from './axe.ts'
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

// axe needs more than half a minute for the whole page, so it checks the page with one element of each kind.
const kinds = ['aside', 'main > section:first-child', '#createContact', '#turnRequested', '#schema-Message', '.errors']

test('the API reference loads nothing else, violates no policy, and can be read and copied with the keyboard', async ({
  page,
  platform,
}) => {
  const seen = recordRequestsAndErrors(page)
  await test.step('has no axe violation, light or dark', async () => {
    await page.goto(`${platform.baseUrl}/docs/api`)
    await expect(page.getByRole('heading', { name: 'Natter API', level: 1 })).toBeVisible()
    await page.evaluate(kinds => {
      const kept = kinds.flatMap(kind => [...document.querySelectorAll(kind)])
      for (const element of document.querySelectorAll('main *')) {
        const isKept = kept.some(each => each.contains(element) || element.contains(each))
        if (!isKept) element.remove()
      }
    }, kinds)
    for (const kind of kinds) await expect(page.locator(kind)).not.toHaveCount(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findViolations(page, { colors: colorScheme === 'dark' }), colorScheme).toEqual([])
    }
    await page.reload()
  })

  await test.step('a link skips the contents, and the contents lead to each section', async () => {
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

  await test.step('the Copy button copies a complete command', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${platform.baseUrl}/docs/api#createContact`)
    const card = page.locator('#createContact figure').first()
    await card.getByRole('button', { name: 'Copy' }).click()
    await expect(card.getByRole('button')).toHaveText('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl -X PUT "\$BASE.*\}'$/s)
  })
  expect(seen).toEqual([])
})
