import { afterEach, describe, expect, it } from 'vitest'
import { createLauncher, type Launcher } from './launcher.ts'
import type { WidgetOptions } from './options.ts'
import { parseOptions } from './parseOptions.ts'

let launcher: Launcher
const show = (options: Partial<WidgetOptions>) => {
  const parsed = parseOptions({ botId: 'bot', ...options }, 'createWidget', () => {})
  launcher = createLauncher(parsed, { onClick() {}, onApproach() {} })
  launcher.attach(document.body)
  return launcher.root.adoptedStyleSheets[0]?.cssRules ?? []
}
afterEach(() => launcher.host.remove())
const text = (rules: ArrayLike<CSSRule>) => Array.from(rules, rule => rule.cssText).join('\n')

describe('the launcher', () => {
  it("takes the site's measures as rules, never as style attributes", () => {
    const css = text(show({ accent: '#ffd43b', offset: 32, zIndex: 7 }))
    expect(css).toMatch(/--offset: ?32px/)
    expect(css).toMatch(/--natter-accent: ?#ffd43b/)
    expect(css).toMatch(/--natter-z-index: ?7/)
    expect(launcher.root.host.hasAttribute('style')).toBe(false)
  })

  it('leaves out what is no measure, so that nothing can be smuggled into the rules', () => {
    const evil = '1;}*{display:none' as unknown as number
    const css = text(show({ accent: '#fff;}*{display:none', offset: evil, zIndex: evil }))
    expect(css).not.toMatch(/\* ?\{ ?display: ?none/)
  })

  it('gives the corner and the theme as rules, too', () => {
    expect(text(show({}))).toMatch(/--inset: ?auto var\(--offset\)[^@]*@media \(prefers-color-scheme: ?dark\)/)
    expect(text(show({ position: 'start', theme: 'dark' }))).toMatch(/--inset: ?var\(--offset\) auto[^@]*@media all/)
    expect(text(show({ theme: 'light' }))).toContain('@media not all')
  })
})
