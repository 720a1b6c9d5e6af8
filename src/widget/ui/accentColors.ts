import { contrastingColor, hexColor, luminanceOf } from '../loader/color.ts'

/** The luminance from which a colour has a contrast of 4.5 : 1 (AA) on the panel's dark surface, #15171c. */
const minDarkLuminance = 0.22

/** Sets the accent colour in a CSS rule. Ignores anything but `#rrggbb`. */
export function setAccent(style: Pick<CSSStyleDeclaration, 'setProperty'>, accent: string): void {
  if (!hexColor.test(accent)) return
  const luminance = luminanceOf([1, 3, 5].map(at => Number(`0x${accent.slice(at, at + 2)}`)))
  // Mixed with 52% white, any colour is bright enough.
  const dark = luminance < minDarkLuminance ? `color-mix(in srgb,${accent},#fff 52%)` : accent
  style.setProperty('--accent', `var(--if-light,${accent})var(--if-dark,${dark})`)
  style.setProperty('--on-accent', `var(--if-light,${contrastingColor(luminance)})var(--if-dark,#000)`)
}
