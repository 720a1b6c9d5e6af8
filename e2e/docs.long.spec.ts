import { findViolations } from './axe.ts'
import { expect, test } from './fixtures.ts'

// axe needs more than half a minute for the whole page, so it checks one section of each kind.
const kinds = [
  'introduction',
  'authorization',
  'contacts',
  'createContact',
  'turnRequested',
  'schema-Message',
  'error-not_found',
]

test('the API reference has no axe violation, and can be read and copied with the keyboard', async ({
  page,
  platform,
}) => {
  await test.step('has no axe violation, light or dark', async () => {
    await page.goto(`${platform.baseUrl}/docs/api`)
    await expect(page.getByRole('heading', { name: 'Natter API', level: 1 })).toBeVisible()
    await page.evaluate(kinds => {
      let section = ''
      for (const element of document.querySelectorAll('.prose > *')) {
        section = element.id || section
        if (!kinds.includes(section)) element.remove()
      }
    }, kinds)
    for (const kind of kinds) await expect(page.locator(`[id="${kind}"]`)).toBeAttached()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findViolations(page, { colors: colorScheme === 'dark' }), colorScheme).toEqual([])
    }
    await page.reload()
  })

  await test.step('its headings lead to each section', async () => {
    const contents = page.getByRole('navigation', { name: 'On this page' })
    await contents.getByRole('link', { name: 'Revoke a contact token' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { name: 'Revoke a contact token' })).toBeInViewport()
    await expect(contents.locator('[aria-current]')).toHaveText(/Revoke a contact token/)
  })

  await test.step('the Copy button copies a complete command', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${platform.baseUrl}/docs/api#createContact`)
    const command = page.locator('#createContact ~ figure').first()
    await command.getByRole('button', { name: 'Copy' }).click()
    await expect(command.getByRole('button')).toHaveText('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl -X PUT "\$BASE.*\}'$/s)
  })
})
