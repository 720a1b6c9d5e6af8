import { en } from '../src/widget/i18n/en.ts'
import { findViolations } from './axe.ts'
import { Chat, expect, startFakeSite, test } from './fakeSite.ts'
import { scenarios } from './states.ts'

const all = Object.entries(scenarios)
const third = Math.ceil(all.length / 3)

for (const start of [0, third, 2 * third]) {
  const some = all.slice(start, start + third)
  test(`axe finds no violation, light or dark: ${some.map(([name]) => name).join('; ')}`, async ({ browser }) => {
    for (const [name, run] of some) {
      await test.step(name, async () => {
        const fakeSite = await startFakeSite()
        const context = await browser.newContext({ reducedMotion: 'reduce' })
        const page = await context.newPage()
        await page.goto(fakeSite.url())
        const onState = async (state: string) => {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            const violations = await findViolations(page, { colors: colorScheme === 'dark' })
            expect(violations, `${name}: ${state}, ${colorScheme}`).toEqual([])
          }
        }
        await run({ page, fakeSite, chat: new Chat(page), strings: en, onState })
        await context.close()
        await fakeSite.stop()
      })
    }
  })
}
