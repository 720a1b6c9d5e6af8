import { botProfile, reply } from '../src/widget/testing/fakePlatform.ts'
import { recordAnnouncements } from './announcements.ts'
import { Chat, expect, test } from './fakeSite.ts'

const waiting = 'We’ve let the team know. Someone will answer you here.'
const again = 'You’re talking to the assistant again'

test('a visitor asks for a person by the keyboard, before writing anything, and reads who answers in every tab', async ({
  page,
  fakeSite,
  chat,
}) => {
  const { platform } = fakeSite
  platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, handover: true }) : undefined)
  await page.goto(fakeSite.url())
  await chat.open()
  await recordAnnouncements(page)
  const more = chat.panel.getByRole('button', { name: 'More' })
  await more.press('Enter')
  await expect(chat.panel.getByRole('menuitemcheckbox')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(chat.panel.getByRole('menuitem', { name: 'Talk to a person' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(more).toBeFocused()
  await expect(chat.transcript.getByText(waiting)).toHaveCount(1)
  await more.press('Enter')
  await expect(chat.panel.getByRole('menuitem', { name: 'End chat' })).toBeVisible()
  await expect(chat.panel.getByRole('menuitem', { name: 'Talk to a person' })).toHaveCount(0)
  await page.keyboard.press('Escape')

  const { messages } = fakeSite.visitor()
  await expect.poll(() => platform.streams.size).toBe(1)
  const sender = { name: 'Nora' }
  for (const text of ['Nora here.', 'What is it about?']) platform.say(messages, { text, author: 'agent', sender })
  platform.say(messages, { text: '', author: 'system', event: 'handed_back' })
  await expect(chat.transcript.getByText(again)).toHaveCount(1)
  await expect(chat.transcript.getByText('Nora joined')).toHaveCount(1)
  await expect
    .poll(() => page.evaluate(() => window.announced.join(' | ')))
    .toMatch(new RegExp(`${waiting}.*Nora joined.*Nora here\\..*${again}`))

  const otherPage = await page.context().newPage()
  await otherPage.goto(fakeSite.url())
  const other = new Chat(otherPage)
  await expect(other.launcher).not.toHaveAccessibleName(/unread/)
  await other.open()
  for (const line of [waiting, 'Nora joined', again]) await expect(other.transcript.getByText(line)).toHaveCount(1)
  await page.reload()
  await chat.open()
  for (const line of [waiting, 'Nora joined', again]) await expect(chat.transcript.getByText(line)).toHaveCount(1)

  await test.step('events do not count at the launcher of a closed chat', async () => {
    await otherPage.close()
    await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
    await chat.panel.getByRole('button', { name: 'Close chat' }).click()
    fakeSite.platform.say(messages, { text: '', author: 'system', event: 'handover_expired' })
    fakeSite.platform.say(messages, { text: 'It is on its way.' })
    await expect(chat.launcher).toHaveAccessibleName('Chat, 1 unread')
  })
})
