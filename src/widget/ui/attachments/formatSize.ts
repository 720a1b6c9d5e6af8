/** Formats a number of bytes, in kilobytes or megabytes. */
export function formatSize(bytes: number, lang: string): string {
  const [unit, divisor] = bytes < 999_500 ? ['kilobyte', 1000] : ['megabyte', 1_000_000]
  const value = bytes / divisor
  return new Intl.NumberFormat(lang, {
    style: 'unit',
    unit,
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(Math.max(value, 0.1))
}
