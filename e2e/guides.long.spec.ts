import { findViolations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { guidesWithParts, recordRequestsAndErrors } from './guidePages.ts'

test('a guide has no axe violation, light or dark', async ({ page, platform }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const path of guidesWithParts) {
    await page.goto(platform.baseUrl + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await findViolations(page, { colors: colorScheme === 'dark' }), `${path}, ${colorScheme}`).toEqual([])
    }
  }
})

test('a guide can be read with the keyboard, its links lead to other guides, its files can be copied, and all guides can be searched', async ({
  page,
  platform,
}) => {
  const seen = recordRequestsAndErrors(page, platform.baseUrl)
  await test.step('skip the navigation, follow its headings, go on to the next guide', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${platform.baseUrl}/docs/widget`)
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.locator('main')).toBeFocused()

    const guides = page.getByRole('navigation', { name: 'Guides', exact: true })
    await expect(guides.locator('[aria-current=page]')).toHaveText('Embed and configure the widget')
    const headings = page.getByRole('navigation', { name: 'On this page' })
    await headings.getByRole('link', { name: 'Content Security Policy' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Content Security Policy' })).toBeInViewport()
    await expect(headings.locator('[aria-current]')).toHaveText('Content Security Policy')

    await page.getByRole('navigation', { name: 'More guides' }).getByRole('link', { name: /^Next/ }).focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/docs\/sdk$/)
  })

  await test.step('a link of one guide leads to the heading of another', async () => {
    await page.goto(`${platform.baseUrl}/docs`)
    await page.getByRole('main').getByRole('link', { name: 'Content Security Policy' }).click()
    await expect(page).toHaveURL(/\/docs\/widget#content-security-policy$/)
    await expect(page.getByRole('heading', { name: 'Content Security Policy' })).toBeInViewport()
  })

  await test.step('the Copy button copies a whole file', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${platform.baseUrl}/docs/demo-server`)
    await page.locator('figure').getByRole('button', { name: 'Copy' }).click()
    await expect(page.locator('figure').getByRole('button')).toHaveText('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("from 'natter/sdk'")
  })

  await test.step('the search finds a heading and an operation as one types, and has its results again when one returns', async () => {
    await page.getByRole('navigation', { name: 'Guides', exact: true }).getByRole('link', { name: 'Search' }).click()
    await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused()
    await page.keyboard.type('upsert con')
    await expect(page.locator('#results a').first()).toHaveText('Upsert contacts')
    await page.getByRole('searchbox').fill('content securty policy')
    await page.locator('#results').getByRole('link', { name: 'Content Security Policy' }).first().click()
    await expect(page).toHaveURL(/\/docs\/widget#content-security-policy$/)
    await page.goBack()
    await expect(page.getByRole('searchbox')).toHaveValue('content securty policy')
    await expect(page.getByRole('status')).toHaveText(/^\d+ found$/)
    expect(await findViolations(page, { colors: true })).toEqual([])
    await page.getByRole('searchbox').fill('xyzzyplugh')
    await expect(page.getByRole('status')).toHaveText('Nothing found')
  })
  expect(seen).toEqual([])
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true })

  test('the menu of a guide and of the API reference leads to the others', async ({ page, platform }) => {
    await page.goto(`${platform.baseUrl}/docs`)
    const guides = page.getByRole('navigation', { name: 'Guides, short' })
    await expect(guides).toBeHidden()
    await page.getByText('Contents', { exact: true }).click()
    await guides.getByRole('link', { name: 'Put it behind a proxy' }).click()
    await expect(page.getByRole('heading', { name: 'Behind a proxy', level: 1 })).toBeVisible()
    await expect(guides).toBeHidden()

    await test.step('the API reference needs no horizontal scrolling, and begins with its contents', async () => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.goto(`${platform.baseUrl}/docs/api`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
      await page.getByRole('main').getByRole('link', { name: 'Contacts', exact: true }).first().click()
      await page.getByRole('main').getByRole('link', { name: 'Search for contacts' }).first().click()
      await expect(page.getByRole('heading', { name: 'Search for contacts' })).toBeInViewport()
    })
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the guides and the API reference have the same content', async ({ page, platform }) => {
    await page.goto(`${platform.baseUrl}/docs/backup`)
    await page.getByRole('link', { name: 'Retention', exact: true }).first().click()
    await expect(page.getByRole('heading', { name: 'Retention', exact: true })).toBeInViewport()

    await test.step('the API reference', async () => {
      await page.goto(`${platform.baseUrl}/docs/api`)
      await page.getByRole('link', { name: 'Upsert contacts' }).first().click()
      await expect(page.getByRole('heading', { name: 'Upsert contacts' })).toBeInViewport()
      await expect(page.getByRole('button')).toHaveCount(0)
    })
  })
})
