import { expect, test } from 'vitest'
import { toPlainText } from './toPlainText.ts'

test.each([
  [
    '## Returns\n\nSend it **within 30 days**, see [our page](https://acme.example/returns).',
    'Returns Send it within 30 days, see our page.',
  ],
  ['1. Print the *label*\n2. Hand it in\n   - with `A-1042`', 'Print the label Hand it in with A-1042'],
  ['```sh\nnpm start\n```\n> Then wait.', 'npm start Then wait.'],
  ['| Size | Chest |\n|---|--:|\n| S | 88 cm |', 'Size Chest S 88 cm'],
  ['![Map](https://acme.example/map.png) ~~Monday~~ __Tuesday__ _noon_', 'Map Monday Tuesday noon'],
  ['これは**「強調」**です<br>9~12, 13~18', 'これは「強調」です 9~12, 13~18'],
  ['2 * 3 = 6, snake_case_name, a_b', '2 * 3 = 6, snake_case_name, a_b'],
])('leaves out the marks of Markdown: %j', (text, expected) => {
  expect(toPlainText({ text, format: 'markdown' })).toBe(expected)
})

test('keeps such marks in plain text, on one line', () => {
  expect(toPlainText({ text: '**Yes**,\n\n tomorrow ', format: 'plain' })).toBe('**Yes**, tomorrow')
})

test('looks at the beginning of a long message only', () => {
  expect(toPlainText({ text: '['.repeat(100_000), format: 'markdown' })).toHaveLength(400)
})

test('names the files of a message without a text', () => {
  const file = { id: 'f', type: 'application/pdf', size: 1 } as const
  const attachments = [
    { ...file, name: 'a.pdf' },
    { ...file, name: 'b.pdf' },
  ]
  expect(toPlainText({ text: '', format: 'plain', attachments })).toBe('a.pdf, b.pdf')
})
