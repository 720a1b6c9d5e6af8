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

it('message() keeps what the visitor has written, before the text of the page', () => {
  const { models } = createAcme().browser.openTab().core
  const { draft, message } = models
  const drafts = (...prefills: string[]) =>
    prefills.map(prefill => {
      message({ prefill })
      return draft.text.value
    })
  expect(drafts('About order 1: ', 'About order 2: ')).toEqual(['About order 1: ', 'About order 2: '])
  draft.setText('About order 2: it is late')
  expect(drafts('About order 2: ', 'About order 3: ', 'About order 4: ')).toEqual([
    'About order 2: it is late',
    'About order 2: it is late\nAbout order 3: ',
    'About order 2: it is late\nAbout order 4: ',
  ])
  draft.setText(' ')
  message({ text: 'é'.repeat(4001) })
  expect(draft.text.value).toBe('é'.repeat(4001))
})

it('message() repeats no line of the visitor, and replaces its last text nevertheless', () => {
  const { models } = createAcme().browser.openTab().core
  const { draft, message } = models
  draft.setText('I need 128 pieces\nAbout order 1')
  const drafts = ['12', 'About order 1', ' '].map(prefill => {
    message({ prefill })
    return draft.text.value
  })
  const own = 'I need 128 pieces\nAbout order 1'
  expect(drafts).toEqual([`${own}\n12`, own, own])
})
