/** The format of a colour in options and bot profiles. */
export const hexColor = /^#[\da-f]{6}$/i

/**
 * The relative luminance of WCAG 2.2, from 0 to 1, with an approximated curve. Channels are red, green, blue from 0 to 255.
 */
export function luminanceOf(channels: readonly number[]): number {
  const [red, green, blue] = channels.map(channel => (channel / 255) ** 2.2) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/**
 * The declarations of an accent, a CSS colour of this luminance, in both themes:
 *
 * - `--accent`: in the dark theme it has text contrast (4.5 : 1) on the panel's surface.
 * - `--on-accent`: white wherever it has text contrast on the accent, else black, which has it then.
 * - `--accent-text`: has text contrast on the surface, and on one that is tinted with the accent.
 * - `--accent-edge`: the border of what has the accent as its ground, seen only where that is almost white itself.
 */
export function accentRule(accent: string, luminance: number): string {
  const mix = (other: string) => `color-mix(in srgb,${accent},${other})`
  // Mixed with so much white, or so much black, any colour has text contrast.
  const dark = luminance < 0.25 ? mix('#fff 54%') : accent
  const text = luminance > 0.15 ? mix('#000 58%') : accent
  const declare = (name: string, light: string, inDark: string) =>
    `--${name}:var(--if-light,${light})var(--if-dark,${inDark});`
  return (
    declare('accent', accent, dark) +
    declare('on-accent', luminance > 0.18 ? '#000' : '#fff', '#000') +
    declare('accent-text', text, dark) +
    declare('accent-edge', luminance > 0.75 ? 'var(--field)' : 'transparent', 'transparent')
  )
}
