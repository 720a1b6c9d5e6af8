import { expect, type Shop, test } from './fixtures.ts'
import { expectShownByAll, findLeaders, openTabs } from './shopTabs.ts'

test('tabs that share a stream keep working while the leader is frozen, and it shows everything once resumed', async ({
  shop,
  context,
}) => {
  const [first, ...rest] = (await openTabs(context, shop, 3)) as [Shop, Shop, Shop]
  await first.chat.say(`Before ${crypto.randomUUID()}`)
  const before = await findLeaders(rest[0].page)
  const devtools = await context.newCDPSession(first.page)
  // Chromium never freezes a visible page, so pause it with the debugger instead.
  await devtools.send('Debugger.enable')
  await devtools.send('Debugger.pause')
  // The other tabs must notice the leader's silence without any activity.
  await expect.poll(() => findLeaders(rest[0].page), { timeout: 60_000 }).not.toEqual(before)
  const text = `While one is frozen ${crypto.randomUUID()}`
  await rest[1].chat.say(text)
  await expectShownByAll(rest, text)
  await devtools.send('Debugger.disable')
  await expectShownByAll([first, ...rest], text)
})
