import { en } from '../src/widget/i18n/en.ts'
import { textsIn } from '../src/widget/i18n/locales.ts'
import { findViolations } from './axe.ts'
import { expectNothingCutOff } from './cutOff.ts'
import { Chat, expect, startFakeSite, test } from './fakeSite.ts'
import { scenarios } from './states.ts'

const all = Object.entries(scenarios)
const third = Math.ceil(all.length / 3)

// In German, whose words are long.
for (const start of [0, third, 2 * third]) {
  const some = all.slice(start, start + third)
  const names = some.map(([name]) => name).join('; ')
  test(`axe finds no violation, light or dark, and no text is cut off in a wide and tall font or a narrow one: ${names}`, async ({
    browser,
  }) => {
    const strings = { ...en, ...(await textsIn('de')) }
    for (const [name, run] of some) {
      await test.step(name, async () => {
        const fakeSite = await startFakeSite()
        const context = await browser.newContext({ reducedMotion: 'reduce' })
        const page = await context.newPage()
        await page.goto(fakeSite.url({ lang: 'de' }))
        const onState = async (state: string) => {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme })
            const violations = await findViolations(page, { colors: colorScheme === 'dark' })
            expect(violations, `${name}: ${state}, ${colorScheme}`).toEqual([])
          }
          // Without a chunk there is no panel, only the launcher.
          if (!/^(core|panel)-failed$/.test(state)) await expectNothingCutOff(page, `${name}: ${state}`)
        }
        await run({ page, fakeSite, chat: new Chat(page), strings, onState })
        await context.close()
        await fakeSite.stop()
      })
    }
  })
}
