import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** The rules of axe whose result depends on colours. Nothing else differs between light and dark. */
const rulesOfColors = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds wrong with the page. `colors`: only with its colours, for a page that has been checked in another colour
 * scheme.
 */
export async function findViolations(page: Page, { colors = false } = {}): Promise<unknown[]> {
  // A page gets the source of axe once, because that takes longer than an analysis.
  const isLoaded = await page.evaluate(() => 'axe' in window)
  // Legacy mode runs in the page itself, which has no frames. The default mode opens another page for each analysis.
  const axe = new AxeBuilder({ page, ...(isLoaded && { axeSource: ';' }) }).setLegacyMode()
  // Otherwise axe also describes each element that passes.
  axe.options({ resultTypes: ['violations'] })
  if (colors) axe.withRules(rulesOfColors)
  return (await axe.analyze()).violations
}
