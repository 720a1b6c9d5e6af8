import { Chat, expect, test } from './fakeSite.ts'

const text = `## How to return a parcel

1. Print the **label**:
   \`\`\`sh
   acme label --order 1042 --paper a4 --printer "the one in the kitchen"
   \`\`\`
2. Hand it in, see [our page](https://acme.example/returns)

| Country | Days | Price | Where to hand it in | Remarks |
|---|--:|--:|---|---|
| Norway | 3 | 4.90 | Any post office | Keep the receipt |

[Not a link](javascript:alert(1)) <img src=x onerror=alert(1)> ![A boot](https://acme.example/boot.png)`

test('Markdown of bots and agents is rendered: code can be copied, tables scroll inside the bubble, links are safe, HTML is text, and the strictest policy is kept', async ({
  page,
  hostPage,
  client,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(hostPage.url)
  const chat = new Chat(page)
  await chat.open()
  const question = `**Is somebody there** ${crypto.randomUUID()}`
  await chat.say(question)
  const { data } = await client.conversations.list({ limit: 1 })
  await client.conversations.messages.send(data[0]?.id ?? '', { text, format: 'markdown', handBack: true })
  const bubble = chat.transcript.locator('[part~=message]', { hasText: 'How to return' }).last()
  await expect(bubble.getByRole('heading', { name: 'How to return a parcel' })).toBeVisible()
  await expect(bubble.getByRole('listitem')).toHaveCount(2)

  await bubble.getByRole('button', { name: 'Copy' }).click()
  await expect(bubble.getByRole('status')).toHaveText('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('acme label --order 1042')

  const link = bubble.getByRole('link', { name: 'our page' })
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  // This bot does not allow images.
  await expect(bubble.getByRole('link', { name: 'A boot' })).toHaveAttribute('href', 'https://acme.example/boot.png')
  await expect(bubble.getByRole('link')).toHaveCount(2)
  await expect(bubble.locator('img')).toHaveCount(0)
  await expect(bubble).toContainText('<img src=x onerror=alert(1)>')

  const [table, log] = [bubble.locator('.scroll'), chat.transcript]
  const widths = (element: Element) => [element.scrollWidth, element.clientWidth]
  const [inner = 0, outer = 0] = await table.evaluate(widths)
  expect(inner).toBeGreaterThan(outer)
  const [all, seen] = await log.evaluate(widths)
  expect(all).toBe(seen)

  // The visitor's own message is not rendered as Markdown.
  await expect(chat.transcript).toContainText(question)
  expect(await table.evaluate(element => getComputedStyle(element).overflowX)).toBe('auto')
  expect(await page.evaluate(() => window.violations)).toEqual([])
})
