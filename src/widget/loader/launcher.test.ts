import { afterEach, describe, expect, it } from 'vitest'
import { createLauncher, type Launcher } from './launcher.ts'
import type { WidgetOptions } from './options.ts'
import { parseOptions } from './parseOptions.ts'

let launcher: Launcher
const show = (options: Partial<WidgetOptions>) => {
  const parsed = parseOptions({ botId: 'bot', ...options }, () => {})
  launcher = createLauncher(parsed, { onClick() {}, onApproach() {} })
  launcher.attach(document.body)
  return launcher.root.adoptedStyleSheets[0]?.cssRules ?? []
}
afterEach(() => launcher.host.remove())
const cssText = (rules: ArrayLike<CSSRule>) => Array.from(rules, rule => rule.cssText).join('\n')

describe('the launcher', () => {
  it("applies the site's colours and sizes as CSS rules, never as style attributes", () => {
    const css = cssText(show({ accent: '#ffd43b', offset: 32, zIndex: 7 }))
    expect(css).toMatch(/--offset: ?32px/)
    expect(css).toMatch(/--natter-accent: ?#ffd43b/)
    expect(css).toMatch(/--natter-z-index: ?7/)
    expect(launcher.root.host.hasAttribute('style')).toBe(false)
  })

  it('works while a library for dialogs makes all other elements of the body inert', async () => {
    show({})
    launcher.host.setAttribute('inert', '')
    await expect.poll(() => launcher.host.hasAttribute('inert')).toBe(false)
  })

  it('ignores invalid values, so that no CSS can be injected', () => {
    const evil = '1;}*{display:none' as unknown as number
    const css = cssText(show({ accent: '#fff;}*{display:none', offset: evil, zIndex: evil }))
    expect(css).not.toMatch(/\* ?\{ ?display: ?none/)
  })

  it('also applies position and theme as CSS rules', () => {
    expect(cssText(show({}))).toMatch(/--inset: ?auto var\(--offset\)[^@]*@media \(prefers-color-scheme: ?dark\)/)
    expect(cssText(show({ position: 'start', theme: 'dark' }))).toMatch(/--inset: ?var\(--offset\) auto[^@]*@media all/)
    expect(cssText(show({ theme: 'light' }))).toContain('@media not all')
  })
})
