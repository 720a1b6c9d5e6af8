import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { messageCreateSchema, messageTextSchema, maxMessageLength as platformLimit } from '../../contract/index.ts'
import { anyCharacter } from '../../contract/testing/anyCharacter.ts'
import { cleanText, isBlank, maxMessageLength, messageLength, trimText } from './messageText.ts'

test.each(['', ' \n', '\t', '\u200b', '\u2060\u200d \u00ad', '\u3164', 'a', '\u200ba', '🙂', '!', 'é'])(
  'the widget calls %j blank exactly if the platform refuses it',
  text => {
    expect(isBlank(text)).toBe(!v.is(messageCreateSchema, { id: crypto.randomUUID(), text }))
  },
)

test('a message is as long for the widget as for the platform', () => {
  expect(maxMessageLength).toBe(platformLimit)
  expect(messageLength(' 🙂é ')).toBe(2)
})

test.each([' a \n', '\n  if (a)\n    b()\n', ' \n\t\n  a\nb', '  a'])(
  'the widget trims %j as the platform does',
  text => {
    const { text: stored = '' } = v.parse(messageCreateSchema, { id: crypto.randomUUID(), text })
    expect(trimText(text)).toBe(stored)
    expect(trimText(stored)).toBe(stored)
  },
)

test('what the widget sends and shows is what the platform stores, whatever was written', () => {
  const character = fc.oneof(
    fc.constantFrom(' ', '\t', '\n', '\r', '\u2028', '\u00a0', '\ufeff', '\u200b', '\0', '\ud83d', '\ude42', 'a'),
    anyCharacter,
  )
  const texts = fc.array(character).map(characters => characters.join(''))
  fc.assert(
    fc.property(texts, text => {
      const sent = cleanText(text)
      expect(v.parse(messageTextSchema, sent)).toBe(isBlank(text) ? '' : sent)
    }),
    { numRuns: 300 },
  )
})
