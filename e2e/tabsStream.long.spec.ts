import { expect, test } from './fixtures.ts'
import { expectShownByAll, findStreamingTabs, openTabs, type StreamTab } from './streamTabs.ts'

test('tabs keep working while one that has a stream is frozen, and it shows everything once resumed', async ({
  page,
  context,
  hostPage,
}) => {
  const [first, ...rest] = (await openTabs(context, page, hostPage, 5)) as [StreamTab, ...StreamTab[]]
  await first.chat.say(`Before ${crypto.randomUUID()}`)
  expect(await findStreamingTabs(first.page)).toHaveLength(3)
  const devtools = await context.newCDPSession(first.page)
  // Chromium never freezes a visible page, so pause it with the debugger instead.
  await devtools.send('Debugger.enable')
  await devtools.send('Debugger.pause')
  const texts = rest.map((_, at) => `While one is frozen ${at} ${crypto.randomUUID()}`)
  for (const [at, text] of texts.entries()) {
    await rest[at]?.chat.say(text)
    await expectShownByAll(rest, text)
  }
  await devtools.send('Debugger.disable')
  for (const text of texts) await expectShownByAll([first, ...rest], text)
})
