import { Chat, expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { runCli } from './processes.ts'

test('a page that the bot does not allow tells its owner the command that does so, and then the chat comes up', async ({
  page,
  platform,
}) => {
  const organization = runCli(platform, 'org', 'create', '--name', 'Other')
  const bot = runCli(
    platform,
    'bot',
    'create',
    '--organization',
    organization,
    '--name',
    'Other',
    '--origin',
    'https://other.example',
  )
  const lines: string[] = []
  page.on('console', line => lines.push(line.text()))
  await openHtmlPage(page, `<script src="${platform.baseUrl}/natter.js" data-bot-id="${bot}"></script>`)
  const chat = new Chat(page)
  await chat.open()
  await expect(chat.panel).toContainText('Chat is not available now.')
  const told = () => lines.filter(line => line.startsWith('Natter'))
  await expect.poll(told).toHaveLength(1)

  const [, command = ''] = /^natter (.*)$/m.exec(told()[0] ?? '') ?? []
  runCli(platform, ...command.split(' '))
  await chat.panel.getByRole('button', { name: 'Retry' }).click()
  await chat.say('May I?')
  expect(told()).toHaveLength(1)
})
