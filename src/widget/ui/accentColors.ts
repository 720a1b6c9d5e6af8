/** At this luminance black and white contrast alike, by WCAG 2.2: (x + 0.05)² = 1.05 × 0.05. */
const middle = 0.179

/** From here on a colour has 4.5 : 1 (AA) on the panel's dark surface, #15171c. */
const brightEnough = 0.22

/** Sets an accent in a style rule. Anything but `#rrggbb` leaves the launcher's default. */
export function setAccent(style: Pick<CSSStyleDeclaration, 'setProperty'>, accent: string): void {
  if (!/^#[\da-f]{6}$/i.test(accent)) return
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => (Number(`0x${accent.slice(at, at + 2)}`) / 255) ** 2.2)
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  // With so much white any colour is bright enough.
  const dark = luminance < brightEnough ? `color-mix(in srgb,${accent},#fff 52%)` : accent
  style.setProperty('--accent', `var(--if-light,${accent})var(--if-dark,${dark})`)
  style.setProperty('--on-accent', `var(--if-light,${luminance > middle ? '#000' : '#fff'})var(--if-dark,#000)`)
}
