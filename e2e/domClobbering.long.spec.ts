import { expect, openWithHtml, test } from './fakeSite.ts'

// DOM clobbering: an element with a `name`, or for some an `id`, hides the document's property of that name.

const script = '<script src="/natter.js" data-bot-id="bot"></script>'

test('the chat works although elements of the page are named Natter', async ({ page, fakeSite, chat }) => {
  const errors = await openWithHtml(page, fakeSite, {
    body: `<form name="Natter" id="Natter"></form><img name="Natter" alt="">${script}`,
  })
  await chat.open()
  await chat.send('Is anybody there?')
  await expect(chat.panel).toContainText('Sent')
  expect(await page.evaluate(() => typeof window.Natter.open)).toBe('function')
  expect(errors).toEqual([])
})

test('where elements hide what the chat needs, the page’s own scripts run, and a message sent before is not lost', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openWithHtml(page, fakeSite, { body: script })
  await chat.open()
  await chat.say('Is anybody there?')
  fakeSite.platform.down = true
  await chat.send('It is me')
  await expect(chat.panel).toContainText('Waiting to send')

  const elements = ['body', 'createElement', 'querySelector'].map(name => `<img name="${name}" alt="">`).join('')
  await openWithHtml(page, fakeSite, {
    body: `${elements}${script}<script>window.hasPageScriptRun = true</script>`,
  })
  expect(await page.evaluate(() => 'hasPageScriptRun' in window)).toBe(true)
  fakeSite.platform.down = false

  await openWithHtml(page, fakeSite, { body: script })
  await chat.open()
  const texts = () => fakeSite.visitor().messages.map(({ text }) => text)
  await expect.poll(texts).toEqual(['Is anybody there?', 'It is me'])
  await expect(chat.transcript).toContainText('It is me')
})
