import { effect, type ReadonlySignal } from '@preact/signals'
import type { BotProfile } from '../../contract/index.ts'
import { accentRule, hexColor, luminanceOf } from '../loader/color.ts'

/**
 * Gives the panel the bot's accent, unless the site has set one, which the launcher's styles apply. Call it while no style is
 * about to change, because it reads a computed one. Returns a function that stops following the profile.
 */
export function followBotAccent(
  host: Element,
  panelStyle: CSSStyleDeclaration,
  profile: ReadonlySignal<BotProfile | null>,
): () => void {
  if (getComputedStyle(host).getPropertyValue('--natter-accent')) return () => {}
  return effect(() => {
    const accent = profile.value?.accent
    if (accent) setAccent(panelStyle, accent)
  })
}

/** Sets the bot's accent colour in a CSS rule. Ignores anything but `#rrggbb`. */
export function setAccent(style: { cssText: string }, accent: string): void {
  if (!hexColor.test(accent)) return
  style.cssText += accentRule(accent, luminanceOf([1, 3, 5].map(at => Number(`0x${accent.slice(at, at + 2)}`))))
}
