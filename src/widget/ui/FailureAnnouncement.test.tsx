import { act } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { pendingMessage } from '../testing/uiFixtures.ts'

test('a message that could not be sent is announced once, and again when it fails again', async () => {
  const { root, log, conversation } = await open(({ conversation }) => {
    conversation.outbox.pending.value = [pendingMessage('old', 'Failed before the chat was opened', 'failed')]
  })
  const { pending } = conversation.outbox
  const region = root.querySelector('[role=alert]') as HTMLElement
  expect(region.textContent).toBe('')
  expect(log().contains(region)).toBe(false)
  const announced: string[] = []
  const note = () => {
    if (region.textContent) announced.push(region.textContent)
  }
  new MutationObserver(note).observe(region, { childList: true, characterData: true, subtree: true })
  const show = async (...statuses: ('sending' | 'failed')[]) => {
    await act(async () => {
      const texts = ['Where is my order?', 'x'.repeat(4000)]
      pending.value = statuses.map((status, index) => pendingMessage(`m${index}`, texts[index] ?? '', status))
    })
    return announced.splice(0)
  }
  expect(await show('sending')).toEqual([])
  expect(await show('failed')).toEqual(['Not sent. Where is my order?'])
  expect(await show('failed', 'sending')).toEqual([])
  expect(await show('failed', 'failed')).toEqual([`Not sent. ${'x'.repeat(80)}`])
  expect(await show('sending', 'failed')).toEqual([])
  expect(await show('failed', 'failed')).toEqual(['Not sent. Where is my order?'])
  expect(await show('sending', 'sending')).toEqual([])
  expect(region.textContent).toBe('')
  expect(await show('failed', 'sending')).toEqual(['Not sent. Where is my order?'])
  // Rows are rendered anew as the visitor scrolls.
  expect(log().querySelector('[role=alert]')).toBeNull()
})
