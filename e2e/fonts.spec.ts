import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { en } from '../src/widget/i18n/en.ts'
import { textsIn } from '../src/widget/i18n/locales.ts'
import { expect, test } from './fakeSite.ts'
import { root } from './processes.ts'
import { scenarios } from './states.ts'

const font = readFileSync(join(root, 'node_modules/@fontsource-variable/rubik/files/rubik-latin-wght-normal.woff2'))

/** Fonts that a site may set, by their differences from Rubik: as wide as Verdana and as tall as fonts of many scripts, and a narrow one. */
const fonts = {
  'wide and tall': 'size-adjust: 118%; ascent-override: 115%; descent-override: 45%',
  narrow: 'size-adjust: 85%',
}

const html = (metrics: string) => `<!doctype html><html lang="de"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><style>
  @font-face { font-family: Other; font-weight: 300 900; src: url(/font.woff2); ${metrics} }
  :root { --natter-font: Other }
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

for (const [fontName, metrics] of Object.entries(fonts)) {
  for (const [name, run] of panelScenarios) {
    test(`no text is cut off in a ${fontName} font: ${name}`, async ({ page, fakeSite, chat }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.route('**/font.woff2', route => route.fulfill({ body: font }))
      await page.route(fakeSite.url(), route => route.fulfill({ contentType: 'text/html', body: html(metrics) }))
      await page.goto(fakeSite.url())
      const onState = async (state: string) => {
        await page.evaluate(() => document.fonts.ready)
        expect(await page.evaluate(() => document.fonts.check('15px Other')), state).toBe(true)
        expect(await findCutOff(page), state).toEqual([])
      }
      await run({ page, fakeSite, chat, strings: { ...en, ...(await textsIn('de')) }, onState })
    })
  }
}
