import { guidePages } from '../src/build/docs/pages.ts'
import { scale } from '../src/testScale.ts'
import { expect, test } from './fixtures.ts'
import { guidesWithParts, recordRequestsAndErrors } from './guidePages.ts'

const others = guidePages
  .map(({ name }) => `/docs${name && '/'}${name}`)
  .filter(path => !guidesWithParts.includes(path))
const paths = [...guidesWithParts, ...others].slice(0, scale.guides)

test('a guide loads only what belongs to the documentation, shows its pictures, violates no policy and needs no horizontal scrolling', async ({
  page,
  platform,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const seen = recordRequestsAndErrors(page, platform.baseUrl)
  for (const path of paths) {
    await page.goto(platform.baseUrl + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const pictures = page.locator('main img')
    for (const picture of await pictures.all())
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    if (path === '/docs') await expect(pictures).toHaveCount(3)
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320)
    await page.setViewportSize({ width: 1280, height: 720 })
  }
  expect(seen).toEqual([])
})
