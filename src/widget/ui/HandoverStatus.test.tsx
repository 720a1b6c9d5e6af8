import { act, fireEvent } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { names, open } from '../testing/testPanel.ts'

test('says what becomes of a request for a person, and offers to repeat one that has failed', async () => {
  const { view, log, calls, conversation } = await open()
  const { handoverRequest, connection } = conversation
  const show = (change: () => void) => {
    act(() => change())
    return log().textContent
  }
  expect(log().textContent).not.toContain('Talk to a person')
  expect(show(() => (handoverRequest.status.value = 'sending'))).toContain('Talk to a person · Sending')
  expect(show(() => (connection.value = 'offline'))).toContain('Talk to a person · Waiting to send')
  expect(show(() => (handoverRequest.status.value = 'failed'))).toContain('Talk to a person · Not sent.')
  fireEvent.click(view.getByRole('button', { name: 'Retry' }))
  expect(names(calls)).toContain('requestHandover')
})
