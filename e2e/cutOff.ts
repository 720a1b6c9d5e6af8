import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect } from './fixtures.ts'
import { root } from './processes.ts'

const rubik = join(root, 'node_modules/@fontsource-variable/rubik/files/rubik-latin-wght-normal.woff2')
const source = readFileSync(rubik, 'base64')

/** Fonts that a site may set, by their differences from Rubik: as wide as Verdana and as tall as fonts of many scripts, and a narrow one. */
const fonts = {
  Wide: { sizeAdjust: '118%', ascentOverride: '115%', descentOverride: '45%' },
  Narrow: { sizeAdjust: '85%' },
}

/** Fails if a text of the widget is cut off in one of the fonts. */
export async function expectNothingCutOff(page: Page, state: string): Promise<void> {
  for (const [name, metrics] of Object.entries(fonts)) {
    const isLoaded = await page.evaluate(setFont, { name, metrics, source })
    expect(isLoaded, name).toBe(true)
    expect(await findCutOff(page), `${state}, ${name}`).toEqual([])
  }
  await page.evaluate(() => document.documentElement.style.removeProperty('--natter-font'))
}

/** Runs in the browser. A Content Security Policy allows fonts that a script creates. */
async function setFont({ name, metrics, source }: { name: string; metrics: FontFaceDescriptors; source: string }) {
  const isKnown = [...document.fonts].some(({ family }) => family === name)
  const bytes = () => Uint8Array.from(atob(source), char => char.charCodeAt(0))
  if (!isKnown) document.fonts.add(new FontFace(name, bytes(), { ...metrics, weight: '300 900' }))
  document.documentElement.style.setProperty('--natter-font', name)
  await document.fonts.load(`15px ${name}`)
  return document.fonts.check(`15px ${name}`)
}

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
