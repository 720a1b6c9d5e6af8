/** A colour as a site or a bot sets it. */
export const hexColor = /^#[\da-f]{6}$/i

/** Relative luminance from 0 to 1 of red, green and blue from 0 to 255: that of WCAG 2.2, with a plain power for its curve. */
export function luminanceOf(channels: readonly number[]): number {
  const [red, green, blue] = channels.map(channel => (channel / 255) ** 2.2) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever contrasts more. Both contrast alike where (luminance + 0.05)² = 1.05 × 0.05. */
export const contrastingColor = (luminance: number): string => (luminance > 0.179 ? '#000' : '#fff')
