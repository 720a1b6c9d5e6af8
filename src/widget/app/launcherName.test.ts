import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme } from '../testing/fixtures.ts'

it("counts unread messages in the launcher's name while the panel is closed", async () => {
  const acme = createAcme()
  const messages = acme.said(adaToken)
  const names: string[] = []
  const tab = acme.browser.openTab({ start: false, renderLauncher: ({ texts }) => names.push(texts.chat) })
  await tab.core.login(adaToken)
  await settle()
  tab.core.models.conversation.readState.markRead()
  for (const text of ['One', 'Two']) {
    acme.platform.emit(messages, { event: 'message', data: acme.platform.say(messages, { text }) })
  }
  await settle()
  expect(names.at(-1)).toBe('Chat, 2 unread')
  tab.core.setOpen(true)
  expect(names.at(-1)).toBe('Chat')
})
