import { afterEach, describe, expect, it } from 'vitest'
import { createLauncher, type Launcher } from './launcher.ts'
import type { WidgetOptions } from './options.ts'

const doors = { onClick() {}, onIntent() {}, onRetry() {} }
let launcher: Launcher
const show = (options: Partial<WidgetOptions>) => {
  launcher = createLauncher({ options: { botId: 'bot', ...options }, ...doors })
  launcher.attach()
  return launcher.root.adoptedStyleSheets[0]?.cssRules ?? []
}
afterEach(() => launcher.destroy())
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

  it("says its texts in the site's words", () => {
    show({ strings: { chat: 'Hilfe' } })
    expect(launcher.root.querySelector('button')?.getAttribute('aria-label')).toBe('Hilfe')
  })

  it('tells the page its theme and corner by attributes that the styles read', () => {
    show({ theme: 'dark', position: 'start' })
    expect(launcher.root.host.getAttribute('data-theme')).toBe('dark')
    expect(launcher.root.host.getAttribute('data-position')).toBe('start')
  })
})
