import type { Page } from '@playwright/test'
import { ways } from './demoPage.ts'
import { Chat, expect, test } from './fixtures.ts'

test.describe('the single-page app', () => {
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

  for (const [way, press] of Object.entries(ways)) {
    test(`signs in, goes from view to view with its chat open, and signs out, by ${way}`, async ({ page, site }) => {
      const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
      const chat = new Chat(page)
      const state = page.getByTestId('session-state')
      await page.goto(`${site.url}/spa/`)
      await press(link(page, 'Your orders'))
      await expect(page.getByRole('heading', { name: 'Your orders' })).toBeFocused()
      await expect(page.getByRole('main')).toContainText('to see what you have ordered')
      await press(page.getByRole('banner').getByRole('link', { name: 'Sign in' }))
      await press(page.getByRole('button', { name: 'Sign in as Ada' }))
      await expect(state).toHaveText('identified as Ada Lovelace')
      await expect(page).toHaveURL(`${site.url}/spa/orders`)

      await press(page.getByRole('button', { name: 'Ask about A-1042' }))
      await expect(chat.composer).toHaveValue('About order A-1042: ')
      await chat.say(secret)
      await press(link(page, 'Help'))
      await expect(page).toHaveTitle('Help · Acme Outfitters')
      await expect(chat.transcript).toContainText(secret)
      await page.goBack()
      await expect(page.getByRole('main')).toContainText('Chelsea boots')

      await press(page.getByRole('button', { name: 'Sign out' }))
      await expect(state).toHaveText('anonymous')
      await expect(chat.transcript).not.toContainText(secret)
      await page.goBack()
      await expect(page.getByRole('main')).toContainText('to see what you have ordered')
      const everything = () =>
        page.evaluate(() => {
          const shadows = [...document.querySelectorAll('*')].map(node => node.shadowRoot?.textContent)
          return JSON.stringify([document.body.textContent, document.title, shadows, { ...localStorage }])
        })
      await expect.poll(everything).not.toContain('Lovelace')
      for (const word of [secret, 'A-1042']) expect(await everything()).not.toContain(word)
      expect(await everything()).not.toMatch(/c:[0-9a-f]{64}/)
    })
  }

  test('forgets the customer who has signed out in another tab', async ({ shop, context }) => {
    await shop.visit()
    await shop.signIn('Grace')
    const app = await context.newPage()
    await app.goto(`${shop.address}/spa/orders`)
    await expect(app.getByTestId('session-state')).toHaveText('identified as Grace Hopper')
    await shop.signOut()
    await expect(app.getByTestId('session-state')).toHaveText('anonymous')
    await expect(app.locator('body')).not.toContainText('Grace')
    await expect(app.locator('body')).not.toContainText('A-1042')
  })
})
