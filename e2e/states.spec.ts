import AxeBuilder from '@axe-core/playwright'
import { en } from '../src/widget/i18n/en.ts'
import { Chat, expect, startFakeSite, test } from './fakeSite.ts'
import { scenarios } from './states.ts'

// A trace would copy the code of axe for each analysis. A failure names state and violation.
test.use({ trace: 'off' })

/** The rules of axe whose result depends on colours. Nothing else differs between light and dark. */
const rulesOfColors = ['color-contrast', 'link-in-text-block']

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
            // Legacy mode runs in the page itself, which has no frames. The default mode opens another page for each analysis.
            const axe = new AxeBuilder({ page }).setLegacyMode()
            if (colorScheme === 'dark') axe.withRules(rulesOfColors)
            const { violations } = await axe.analyze()
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
