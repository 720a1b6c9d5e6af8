import { expect, test } from './fakeSite.ts'

test('an answer shows its sources as numbered links, which open in a new tab, also after a reload', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.send('How long can I return it?')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const sources = [
    { title: 'Returns', url: 'https://shop.example/returns' },
    { title: 'bank.example', url: 'https://evil.example/' },
  ]
  fakeSite.platform.say(fakeSite.visitor().messages, { text: 'Within 30 days.', sources })
  const list = chat.transcript.getByRole('list', { name: 'Sources' })
  await expect(list.getByRole('listitem')).toHaveText(['Returns', 'bank.example (evil.example)'])
  await page.context().route('https://shop.example/**', route => route.fulfill({ body: 'Our returns policy' }))
  const [tab] = await Promise.all([page.waitForEvent('popup'), list.getByRole('link', { name: 'Returns' }).click()])
  expect(await tab.evaluate(() => [location.href, window.opener])).toEqual(['https://shop.example/returns', null])
  await tab.close()
  await page.reload()
  await chat.open()
  await expect(list.getByRole('link')).toHaveCount(2)
})
