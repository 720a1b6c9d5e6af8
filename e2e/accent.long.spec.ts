import { Chat, expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'

test("launcher and send button have the same colours in the site's accent, in both themes", async ({
  page,
  platform,
}) => {
  for (const theme of ['light', 'dark']) {
    for (const [accent, ink] of [
      ['#0b7285', theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)'],
      ['#ffd43b', 'rgb(0, 0, 0)'],
    ]) {
      await openHtmlPage(
        page,
        `<script src="${platform.baseUrl}/natter.js" data-bot-id="${platform.botId}" data-theme="${theme}" data-accent="${accent}"></script>`,
      )
      const chat = new Chat(page)
      await expect(chat.launcher).toHaveCSS('color', ink as string)
      await chat.open()
      await chat.composer.fill('Hello')
      const send = chat.panel.getByRole('button', { name: 'Send' })
      await expect(send).toHaveCSS('color', ink as string)
      const ground = await chat.launcher.evaluate(button => getComputedStyle(button).backgroundColor)
      await expect(send).toHaveCSS('background-color', ground)
    }
  }
})
