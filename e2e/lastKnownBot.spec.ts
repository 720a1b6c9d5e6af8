import { startLocalServer } from '../src/testServer.ts'
import { botProfile } from '../src/widget/testing/fakePlatform.ts'
import { Chat, expect, test } from './fixtures.ts'
import { startHostPage } from './hostPage.ts'

test('while the platform is unreachable, the panel has the name that the bot had on the last page', async ({
  page,
  platform,
}) => {
  let isUnreachable = false
  const api = await startLocalServer((request, response) => {
    if (isUnreachable || request.method !== 'GET') return request.socket.destroy()
    // Stale at once, so that the next page asks for it again.
    response.writeHead(200, {
      'access-control-allow-origin': '*',
      'content-type': 'application/json',
      'cache-control': 'public, max-age=0',
    })
    response.end(JSON.stringify({ data: { ...botProfile, name: 'Bertha of Acme' } }))
  })
  const site = await startHostPage(platform, api.url)
  const chat = new Chat(page)
  const name = chat.panel.getByRole('heading', { name: 'Bertha of Acme' })
  await page.goto(site.url)
  await chat.open()
  await expect(name).toBeVisible()
  isUnreachable = true
  await page.goto(site.url)
  await chat.open()
  await expect(chat.panel).toContainText('Chat isn’t available right now')
  await expect(name).toBeVisible()
  await site.stop()
  await api.close()
})
