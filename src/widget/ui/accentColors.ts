import { contrastingColor, hexColor, luminanceOf } from '../loader/color.ts'

/** From here on a colour has 4.5 : 1 (AA) on the panel's dark surface, #15171c. */
const brightEnough = 0.22

/** Sets an accent in a style rule. Anything but `#rrggbb` leaves the launcher's default. */
export function setAccent(style: Pick<CSSStyleDeclaration, 'setProperty'>, accent: string): void {
  if (!hexColor.test(accent)) return
  const luminance = luminanceOf([1, 3, 5].map(at => Number(`0x${accent.slice(at, at + 2)}`)))
  // Mixed with so much white, any colour is bright enough.
  const dark = luminance < brightEnough ? `color-mix(in srgb,${accent},#fff 52%)` : accent
  style.setProperty('--accent', `var(--if-light,${accent})var(--if-dark,${dark})`)
  style.setProperty('--on-accent', `var(--if-light,${contrastingColor(luminance)})var(--if-dark,#000)`)
}
