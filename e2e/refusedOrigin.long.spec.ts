import { Chat, expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { createBot, runCli } from './processes.ts'

test('on an origin that the bot does not allow a login is refused immediately, the console shows the command that allows it, and then the chat works', async ({
  page,
  platform,
}) => {
  const bot = createBot(platform, 'https://other.example')
  const lines: string[] = []
  page.on('console', line => lines.push(line.text()))
  await openHtmlPage(page, `<script src="${platform.baseUrl}/natter.js" data-bot-id="${bot}"></script>`)
  const chat = new Chat(page)
  await expect(chat.launcher).toBeVisible()
  const [code, ms] = await page.evaluate(async () => {
    const start = performance.now()
    const code = await window.Natter.auth.contacts.login({ token: `c:${'a'.repeat(64)}` }).then(
      () => 'identified',
      error => error.code,
    )
    return [code, performance.now() - start] as const
  })
  expect(code).toBe('origin_not_allowed')
  // Without a response the login would time out after 10 s.
  expect(ms).toBeLessThan(8000)

  await chat.open()
  await expect(chat.panel).toContainText('Chat isn’t available right now.')
  const natterLines = () => lines.filter(line => line.startsWith('Natter'))
  await expect.poll(natterLines).toHaveLength(1)

  const [, command = ''] = /^natter (.*)$/m.exec(natterLines()[0] ?? '') ?? []
  runCli(platform, ...command.split(' '))
  // The chat also retries by itself, which removes the button.
  await expect(async () => {
    const retry = chat.panel.getByRole('button', { name: 'Retry' })
    if (await retry.isVisible()) await retry.click({ timeout: 1000 })
    await expect(chat.panel).not.toContainText('Chat isn’t available right now.', { timeout: 1000 })
  }).toPass()
  await chat.say('May I?')
  expect(natterLines()).toHaveLength(1)
})
