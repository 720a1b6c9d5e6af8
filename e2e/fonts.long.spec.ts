import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { en } from '../src/widget/i18n/en.ts'
import { textsIn } from '../src/widget/i18n/locales.ts'
import { Chat, expect, startFakeSite, test } from './fakeSite.ts'
import { root } from './processes.ts'
import { scenarios } from './states.ts'

const font = readFileSync(join(root, 'node_modules/@fontsource-variable/rubik/files/rubik-latin-wght-normal.woff2'))

/** Fonts that a site may set, by their differences from Rubik: as wide as Verdana and as tall as fonts of many scripts, and a narrow one. */
const fonts = {
  Wide: 'size-adjust: 118%; ascent-override: 115%; descent-override: 45%',
  Narrow: 'size-adjust: 85%',
}

const html = `<!doctype html><html lang="de"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><style>
  ${Object.entries(fonts)
    .map(
      ([name, metrics]) =>
        `@font-face { font-family: ${name}; font-weight: 300 900; src: url(/font.woff2); ${metrics} }`,
    )
    .join('\n')}
  :root { --natter-font: Wide }
</style></head><body><main><h1>Shop</h1><button>Of the page</button></main>
<script src="/natter.js" data-bot-id="bot"></script></body></html>`

/** The elements of the widget whose text is cut off or leaves the panel. What scrolls, or ends with an ellipsis, is not cut off. */
const findCutOff = (page: Page) =>
  page.evaluate(() => {
    const widget = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
    const panel = widget.querySelector('.panel, .preview:not([hidden])')
    if (!panel) throw new Error('There is neither a panel nor a preview to measure')
    const bounds = panel.getBoundingClientRect()
    const isCut = (element: Element) => {
      const style = getComputedStyle(element)
      const hasEllipsis = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      if (hasEllipsis || element.closest('.aloud, svg')) return false
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element
      const isButton = element.matches('button')
      return (
        ((isButton || style.overflowX === 'hidden') && scrollWidth > clientWidth + 1) ||
        ((isButton || style.overflowY === 'hidden') && scrollHeight > clientHeight + 1)
      )
    }
    const isOutside = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect()
      const isScrolled = element.closest('pre, .scroll, .aloud')
      return width > 0 && !isScrolled && (left < bounds.left - 1 || right > bounds.right + 1)
    }
    return [panel, ...panel.querySelectorAll('*')]
      .filter(element => element.checkVisibility() && (isCut(element) || isOutside(element)))
      .map(element => `${element.tagName}.${element.className}: ${element.textContent?.slice(0, 60)}`)
  })

/** Without the one that shows no panel, only the launcher. */
const panelScenarios = Object.entries(scenarios).filter(([name]) => !name.startsWith('a chunk fails'))

test('no text is cut off in any state, neither in a wide and tall font nor in a narrow one', async ({ browser }) => {
  const strings = { ...en, ...(await textsIn('de')) }
  for (const [name, run] of panelScenarios) {
    await test.step(name, async () => {
      const fakeSite = await startFakeSite()
      const page = await browser.newPage()
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.route('**/font.woff2', route => route.fulfill({ body: font }))
      await page.route(fakeSite.url(), route => route.fulfill({ contentType: 'text/html', body: html }))
      await page.goto(fakeSite.url())
      const onState = async (state: string) => {
        for (const fontName of Object.keys(fonts)) {
          const isLoaded = await page.evaluate(async fontName => {
            document.documentElement.style.setProperty('--natter-font', fontName)
            await document.fonts.load(`15px ${fontName}`)
            return document.fonts.check(`15px ${fontName}`)
          }, fontName)
          expect(isLoaded, fontName).toBe(true)
          expect(await findCutOff(page), `${state}, ${fontName}`).toEqual([])
        }
      }
      await run({ page, fakeSite, chat: new Chat(page), strings, onState })
      await page.context().close()
      await fakeSite.stop()
    })
  }
})
