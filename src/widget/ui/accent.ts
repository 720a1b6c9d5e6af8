/** `--surface` of tokens.css in the dark; the accent has to stand out from it. */
const darkSurface = [21, 23, 28]

/** Red, green and blue from 0 to 255 of `#rrggbb`; `null` for everything else. */
export function parseColour(hex: string): number[] | null {
  return /^#[\da-f]{6}$/i.test(hex) ? [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)) : null
}

/** WCAG 2.2 contrast of two colours, 1 to 21. */
export function contrast(one: readonly number[], other: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white, whichever is read better on that ground. */
export function inkOn(ground: readonly number[]): string {
  return contrast(ground, [255, 255, 255]) < contrast(ground, [0, 0, 0]) ? '#000' : '#fff'
}

/** The colour mixed with white until it stands out from the dark surface as text must (AA). */
export function lightened(colour: readonly number[]): number[] {
  let mixed = [...colour]
  while (contrast(mixed, darkSurface) < 4.5) mixed = mixed.map(part => Math.ceil(part + (255 - part) / 16))
  return mixed
}

/** The panel's rule for an accent; empty for what is no colour, so that the default of tokens.css stays. */
export function accentRule(accent: string): string {
  const light = parseColour(accent)
  if (!light) return ''
  const dark = lightened(light)
  return `.panel{--accent:var(--l,${css(light)})var(--d,${css(dark)});--on-accent:var(--l,${inkOn(light)})var(--d,${inkOn(dark)})}`
}

const css = (colour: readonly number[]) => `rgb(${colour})`

function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map(part => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
