import { expect, it } from 'vitest'
import { createAcme } from '../testing/fixtures.ts'

it('message() with a text that is too long puts it into the draft, where the visitor sees the limit', () => {
  const { models } = createAcme().browser.openTab().core
  const long = 'é'.repeat(4001)
  models.message({ text: long })
  expect([models.draft.text.value, models.conversation.outbox.pending.value]).toEqual([long, []])
  models.message({ text: 'Hello', prefill: 'Hello' })
  expect(models.conversation.outbox.pending.value.map(({ text }) => text)).toEqual(['Hello'])
  expect(models.draft.text.value).toBe('Hello')
})
