import AxeBuilder from '@axe-core/playwright'
import { en } from '../src/widget/i18n/en.ts'
import { expect, test } from './fakeSite.ts'
import { visits } from './states.ts'

for (const [name, go] of Object.entries(visits)) {
  test(`axe finds nothing, light or dark, while ${name}`, async ({ page, fakeSite, chat }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(fakeSite.url())
    const see = async (state: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        // Legacy: in the page itself, which has no frames; else each look would open another page.
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
        expect(violations, `${state}, ${colorScheme}`).toEqual([])
      }
    }
    await go({ page, fakeSite, chat, words: en, see })
  })
}
