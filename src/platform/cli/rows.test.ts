import { expect, it } from 'vitest'
import { oneLine } from './rows.ts'

it.each([
  ['two\nlines', 'two\\nlines'],
  ['a\tcell', 'a cell'],
  ['a forged line\rok', 'a forged line\\u000dok'],
  ['\u001b]0;a title\u0007\u001b[2J\u009b2J', '\\u001b]0;a title\\u0007\\u001b[2J\\u009b2J'],
  ['evil\u202etxt\u2066.exe\u2028', 'evil\\u202etxt\\u2066.exe\\u2028'],
  // Letters of every script stay, and so do the marks that Arabic and Hebrew need.
  ['Zoë 🙂 مرحبا\u200f שלום', 'Zoë 🙂 مرحبا\u200f שלום'],
])('a text stays in its cell, and controls no terminal: %j', (text, shown) => {
  expect(oneLine(text)).toBe(shown)
})
