import AxeBuilder from '@axe-core/playwright'
import { en } from '../src/widget/i18n/en.ts'
import { expect, test } from './fakeSite.ts'
import { scenarios } from './states.ts'

for (const [name, run] of Object.entries(scenarios)) {
  test(`axe finds no violation, light or dark: ${name}`, async ({ page, fakeSite, chat }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(fakeSite.url())
    const onState = async (state: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        // Legacy mode runs in the page itself, which has no frames. The default mode opens another page for each analysis.
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
        expect(violations, `${state}, ${colorScheme}`).toEqual([])
      }
    }
    await run({ page, fakeSite, chat, strings: en, onState })
  })
}
