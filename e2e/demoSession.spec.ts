import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { readPageData } from './pageData.ts'

/** Counts the contact tokens that the shop's server creates from now on, as reported in its response headers. */
function countCreatedTokens(page: Page): () => number {
  let count = 0
  page.on('response', response => {
    const calls = JSON.parse(response.headers()['x-platform-calls'] ?? '[]') as string[]
    count += calls.filter(call => /^PUT \S+\/auth\/contacts 201$/.test(call)).length
  })
  return () => count
}

for (const path of ['/', '/spa/']) {
  test(`when the shop's session has ended, loading ${path} also ends the chat's session`, async ({
    shop,
    page,
    context,
    platform,
  }) => {
    const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
    await shop.visit()
    await shop.signIn('Ada')
    await page.goto(shop.address + path)
    await expect(shop.state).toHaveText('identified as Ada Lovelace')
    await shop.chat.open()
    await shop.chat.say(secret)
    const [token = ''] = /c:[0-9a-f]{64}/.exec(await readPageData(page)) ?? []
    expect(token).not.toBe('')

    // As if the session had expired: nobody has signed out, so the contact token still works.
    await context.clearCookies()
    await page.reload()
    await expect(shop.state).toHaveText('anonymous')
    await shop.chat.open()
    await expect(shop.chat.transcript).toContainText('What can I do for you?')
    for (const word of [secret, 'Lovelace']) await expect(page.locator('body')).not.toContainText(word)
    await expect.poll(() => readPageData(page)).not.toContain(secret)
    for (const word of [token, 'Lovelace']) expect(await readPageData(page)).not.toContain(word)
    const authorization = `Bearer ${token}`
    const session = `${platform.baseUrl}/v1/bots/${platform.botId}/widget/session`
    await expect.poll(async () => (await fetch(session, { headers: { authorization } })).status).toBe(401)
  })
}

test('when the shop’s session has ended, going back to a page of it also ends the chat’s session', async ({
  shop,
  page,
  context,
}) => {
  const secret = `My parcel was opened ${crypto.randomUUID().slice(0, 8)}`
  await shop.visit()
  await shop.signIn('Ada')
  await shop.chat.open()
  await shop.chat.say(secret)
  await page.goto('about:blank')
  await context.clearCookies()
  await page.goBack()
  await expect(shop.state).toHaveText('anonymous')
  await expect.poll(() => readPageData(page)).not.toContain(secret)
  expect(await readPageData(page)).not.toContain('Lovelace')
})

test('many page loads of one session, in two tabs and in the single-page app, create one contact token', async ({
  shop,
  page,
  context,
}) => {
  const second = await context.newPage()
  const counts = [page, second].map(countCreatedTokens)
  await shop.visit()
  await shop.signIn('Ada')
  for (let load = 0; load < 5; load++) {
    for (const [each, path] of [
      [page, '/'],
      [second, '/'],
      [second, '/spa/'],
    ] as const) {
      await each.goto(shop.address + path)
      await expect(each.getByTestId('session-state')).toHaveText('identified as Ada Lovelace')
    }
  }
  expect(counts.map(count => count())).toEqual([1, 0])
})

test('a token that the platform has revoked is replaced at the next page load', async ({ shop, page, client }) => {
  const createdTokens = countCreatedTokens(page)
  await shop.visit()
  await shop.signIn('Grace')
  const [token = ''] = /c:[0-9a-f]{64}/.exec(await readPageData(page)) ?? []
  await client.contactTokens.revoke(token)
  await expect(shop.state).toHaveText('anonymous')
  await page.reload()
  await expect(shop.state).toHaveText('identified as Grace Hopper')
  await page.reload()
  await expect(shop.state).toHaveText('identified as Grace Hopper')
  expect(createdTokens()).toBe(2)
})
