import { accentRule, hexColor, luminanceOf } from '../loader/color.ts'

/** Sets the bot's accent colour in a CSS rule. Ignores anything but `#rrggbb`. */
export function setAccent(style: { cssText: string }, accent: string): void {
  if (!hexColor.test(accent)) return
  style.cssText += accentRule(accent, luminanceOf([1, 3, 5].map(at => Number(`0x${accent.slice(at, at + 2)}`))))
}
