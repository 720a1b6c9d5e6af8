import type { Page } from '@playwright/test'
import { collectErrors, press } from './demoPage.ts'
import { Chat, expect, test } from './fixtures.ts'

/** Everything that the page shows or stores. */
const readPage = (page: Page) =>
  page.evaluate(() => {
    const shadows = [...document.querySelectorAll('*')].map(node => node.shadowRoot?.textContent)
    return JSON.stringify([document.body.textContent, document.title, shadows, { ...localStorage }])
  })

test('the single-page app keeps its chat across views, and clears it after a sign-out here or in another tab', async ({
  page,
  shop,
  context,
}) => {
  const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
  const errors = collectErrors(page)
  const chat = new Chat(page)
  const state = page.getByTestId('session-state')
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  await page.goto(`${shop.address}/spa/`)
  await press(link('Your orders'))
  await expect(page.getByRole('heading', { name: 'Your orders' })).toBeFocused()
  await expect(page.getByRole('main')).toContainText('to see what you have ordered')
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await expect(state).toHaveText('identified as Ada Lovelace')
  await expect(page).toHaveURL(`${shop.address}/spa/orders`)

  await page.getByRole('button', { name: 'Ask about A-1042' }).click()
  await expect(chat.composer).toHaveValue('About order A-1042: ')
  await chat.say(secret)
  await link('Help').click()
  await expect(page).toHaveTitle('Help · Acme Outfitters')
  await expect(chat.transcript).toContainText(secret)
  await page.goBack()
  await expect(page.getByRole('main')).toContainText('Chelsea boots')

  const other = await context.newPage()
  await other.goto(`${shop.address}/spa/orders`)
  await expect(other.getByRole('main')).toContainText('Chelsea boots')
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const each of [page, other]) {
    await expect(each.getByTestId('session-state')).toHaveText('anonymous')
    for (const word of ['Lovelace', 'Ada', 'A-1042', secret]) {
      await expect.poll(() => readPage(each), word).not.toContain(word)
    }
    expect(await readPage(each)).not.toMatch(/c:[0-9a-f]{64}/)
  }
  await page.goBack()
  await expect(page.getByRole('main')).toContainText('to see what you have ordered')
  expect(errors).toEqual([])
})
