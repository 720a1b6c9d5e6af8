import { afterEach, expect, test } from 'vitest'
import { stringify } from './stringify.ts'

afterEach(() => {
  Reflect.deleteProperty(Array.prototype, 'toJSON')
})

test('arrays stay arrays where a library has given them a toJSON() of its own', () => {
  Object.assign(Array.prototype, { toJSON: () => 'a string' })
  const value = { messages: [{ text: 'Hi', quickReplies: ['Yes', 'No'] }], empty: [], none: undefined }
  expect(JSON.parse(stringify(value))).toStrictEqual({
    messages: [{ text: 'Hi', quickReplies: ['Yes', 'No'] }],
    empty: [],
  })
})
