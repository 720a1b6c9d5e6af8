import { act, fireEvent, waitFor } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { acme, pendingMessage, storedMessage } from '../testing/uiFixtures.ts'

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

  test('are marked with the bot’s language, unless they are of a team member', async () => {
    const { view, conversation } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, locale: 'de' }
    })
    const language = (name: string) => view.getByRole('button', { name }).closest('.replies')?.getAttribute('lang')
    expect(language('Size guide')).toBe('de')
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [{ ...storedMessage(1, 'bot', 'Welche?'), quickReplies: ['Die blaue'] }]
    })
    expect(language('Die blaue')).toBe('de')
    act(() => {
      messages.value = [{ ...storedMessage(1, 'agent', 'Which one?'), quickReplies: ['The blue one'] }]
    })
    expect(language('The blue one')).toBe('en')
  })
})
