import { openMadePage } from './madePage.ts'
import { natter } from './processes.ts'
import { Chat, expect, test } from './stage.ts'

test('an anonymous session that expires in an open page loses neither the message being sent nor the draft', async ({
  page,
  stage,
  chat,
}) => {
  await page.goto(stage.url())
  await chat.open()
  await chat.say('Yesterday')
  const yesterday = stage.visitor()
  await page.context().setOffline(true)
  stage.platform.end(yesterday.token, 'expired')
  await chat.send('Today')
  await chat.composer.fill('Half a thought')
  await page.context().setOffline(false)
  await expect.poll(() => stage.visitor().messages.map(({ text }) => text)).toEqual(['Today'])
  expect(stage.visitor().token).not.toBe(yesterday.token)
  await expect(chat.transcript).toContainText('Today')
  await expect(chat.transcript).not.toContainText('Yesterday')
  await expect(chat.composer).toHaveValue('Half a thought')
})

test('a page load that finds an expired anonymous session keeps nothing of it', async ({ page, stage, chat }) => {
  await page.goto(stage.url())
  await chat.open()
  await chat.say('Yesterday')
  await page.route('**/widget/messages', route => route.abort())
  await chat.send('Not sent')
  await chat.composer.fill('Half a thought')
  await expect(chat.transcript).toContainText('Not sent')
  stage.platform.sessions.forEach(session => {
    session.ended = 'expired'
  })
  await page.goto('about:blank')
  await page.unroute('**/widget/messages')
  await page.goto(stage.url())
  await chat.open()
  await expect(chat.composer).toHaveValue('')
  await expect(chat.panel).not.toContainText(/Yesterday|Not sent/)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('natter:bot:identity'))).not.toMatch(/[cv]:/)
})

test('an anonymous visitor loses nothing unsent when the page calls localStorage.clear()', async ({
  page,
  stage,
  chat,
}) => {
  await page.goto(stage.url())
  await chat.open()
  await chat.say('Before')
  const before = stage.visitor()
  await chat.composer.fill('Half a thought')
  await page.evaluate(() => localStorage.clear())
  await chat.composer.press('Enter')
  await expect.poll(() => stage.visitor().messages.map(({ text }) => text)).toEqual(['Half a thought'])
  expect(stage.visitor().token).not.toBe(before.token)
  await expect(chat.transcript).not.toContainText('Before')
})

test('a logout before the core is loaded, after the clock was set back, leaves nothing stored', async ({
  page,
  stage,
  chat,
}) => {
  const ada = stage.contact('Ada', 3)
  await page.goto(stage.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), ada.token)
  await chat.open()
  await expect(chat.panel).toContainText('Message 3')
  const stored = () =>
    page.evaluate(async () => {
      const rows: unknown[] = []
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await new Promise<IDBDatabase>(resolve => {
          const request = indexedDB.open(name)
          request.onsuccess = () => resolve(request.result)
        })
        const records = database.transaction('records').objectStore('records').getAll()
        rows.push(await new Promise(resolve => Object.assign(records, { onsuccess: () => resolve(records.result) })))
        database.close()
      }
      return JSON.stringify(rows)
    })
  await expect.poll(stored).toContain('Message 3')
  await page.addInitScript(() => {
    const now = Date.now
    Date.now = () => now() - 31_536_000_000
  })
  await page.goto(stage.url())
  await page.evaluate(() => window.Natter.auth.contacts.logout())
  await expect.poll(stored).not.toContain('Message 3')
})

test('a login from an origin that the bot does not allow is refused at once', async ({ page, platform }) => {
  const organization = natter(platform, 'org', 'create', '--name', 'Elsewhere')
  const origin = 'https://elsewhere.example'
  const bot = natter(
    platform,
    'bot',
    'create',
    '--organization',
    organization,
    '--name',
    'Elsewhere',
    '--origin',
    origin,
  )
  await openMadePage(page, `<script src="${platform.baseUrl}/natter.js" data-bot-id="${bot}"></script>`)
  await expect(new Chat(page).launcher).toBeVisible()
  const [code, ms] = await page.evaluate(async () => {
    const start = performance.now()
    const code = await window.Natter.auth.contacts.login({ token: `c:${'a'.repeat(64)}` }).then(
      () => 'identified',
      error => error.code,
    )
    return [code, performance.now() - start] as const
  })
  expect(code).toBe('origin_not_allowed')
  // It would be 10 s without an answer.
  expect(ms).toBeLessThan(8000)
})
