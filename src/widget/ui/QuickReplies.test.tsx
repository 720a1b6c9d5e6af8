import { fireEvent, waitFor } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { pendingMessage } from '../testing/uiFixtures.ts'

describe('QuickReplies', () => {
  test('moves the focus to the composer when a quick reply is clicked with a mouse', async () => {
    const { root, view, conversation, composer } = await open(({ conversation }) => {
      conversation.outbox.send = text => {
        conversation.outbox.pending.value = [pendingMessage('a', text)]
      }
    })
    await waitFor(() => expect(root.activeElement).toBe(composer()))
    const reply = view.getByRole('button', { name: 'Size guide' })
    reply.focus()
    fireEvent.click(reply)
    await waitFor(() => expect(view.queryByRole('button', { name: 'Return something' })).toBeNull())
    expect(root.activeElement).toBe(composer())
    expect(conversation.outbox.pending.value).toHaveLength(1)
  })
})
