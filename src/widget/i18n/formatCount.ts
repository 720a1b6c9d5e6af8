import type { CountedText } from './en.ts'

export const formatCount = (text: CountedText, count: number): string =>
  typeof text === 'function' ? text(count) : text.replace('{count}', `${count}`)
