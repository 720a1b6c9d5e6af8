import { fireEvent } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'

describe('HistoryStatus', () => {
  test('says once that the history has failed, with a button, and not that it is connecting', async () => {
    const { root, view, calls } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'failed'
      conversation.connection.value = 'connecting'
    })
    expect(root.querySelector('.status')?.textContent).toBe('')
    expect(root.querySelector('.failure')?.textContent).toContain('Couldn’t load earlier messages.')
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    expect(calls).toEqual([['loadOlder', expect.anything()]])
    expect(root.querySelector('.placeholder')).toBeNull()
  })

  test('says above the messages that older ones could not be loaded', async () => {
    const { log } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'failed'
      conversation.messageStore.messages.value = [storedMessage(51, 'bot', 'Hi')]
    })
    expect(log().querySelector('.rule[role=alert]')?.textContent).toBe('Couldn’t load earlier messages.Retry')
    expect(log().querySelector('.failure')).toBeNull()
  })
})
