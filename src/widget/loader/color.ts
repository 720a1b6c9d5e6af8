/** The format of a colour in options and bot profiles. */
export const hexColor = /^#[\da-f]{6}$/i

/**
 * The relative luminance of WCAG 2.2, from 0 to 1, with an approximated curve. Channels are red, green, blue from 0 to 255.
 */
export function luminanceOf(channels: readonly number[]): number {
  const [red, green, blue] = channels.map(channel => (channel / 255) ** 2.2) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever has more contrast. Both have the same where (luminance + 0.05)² = 1.05 × 0.05. */
export const contrastingColor = (luminance: number): string => (luminance > 0.179 ? '#000' : '#fff')
