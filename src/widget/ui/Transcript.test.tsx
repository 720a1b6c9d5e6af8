import { batch } from '@preact/signals-core'
import { fireEvent, waitFor } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { acme, said, underWay } from './fixtures.ts'
import { open } from './testingPanel.ts'

describe('the transcript', () => {
  test('tells an agent from the bot', () => {
    const { log, view } = open(({ conversation }) => {
      conversation.messages.value = [said(1, 'bot', 'Hi'), said(2, 'agent', 'Nora here'), said(3, 'agent', 'Again')]
      conversation.typing.value = 'agent'
    })
    expect(log().textContent?.match(/Team member/g)).toHaveLength(1)
    expect(view.getByRole('img', { name: 'Team member is typing' })).toBeTruthy()
  })

  test('says when a message goes on that was one too many', () => {
    const { view } = open(({ conversation }) => {
      const resumesAt = new Date(2026, 2, 14, 9, 52).toISOString()
      conversation.pending.value = [{ ...underWay('a', 'Hi', 'waiting'), resumesAt }]
    })
    expect(view.getByText(/Too many at once: goes on at 0?9:52/)).toBeTruthy()
  })

  test('keeps the bubble of a streamed reply when it is stored, and is busy meanwhile', async () => {
    const { log, conversation } = open(({ conversation }) => {
      conversation.messages.value = [said(1, 'visitor', 'Hi')]
      conversation.partial.value = { id: 'm2', text: 'Good' }
    })
    const bubble = () => [...log().querySelectorAll('[part=message]')].at(-1)
    const before = bubble()
    expect(log().getAttribute('aria-busy')).toBe('true')
    conversation.partial.value = { id: 'm2', text: 'Good morn' }
    await waitFor(() => expect(before?.textContent).toBe('Good morn'))
    batch(() => {
      conversation.messages.value = [...conversation.messages.value, said(2, 'bot', 'Good morning')]
      conversation.partial.value = null
    })
    await waitFor(() => expect(bubble()?.textContent).toBe('Good morning'))
    expect(bubble()).toBe(before)
    expect(log().getAttribute('aria-busy')).toBe('false')
  })

  test('reads own messages to nobody, and those of others with their author', () => {
    const { log, conversation } = open()
    conversation.messages.value = [said(1, 'visitor', 'Hi'), said(2, 'bot', 'Hello')]
    const [own, other] = [...log().querySelectorAll('.row')].slice(-2)
    expect(own?.getAttribute('aria-live')).toBe('off')
    expect(other?.hasAttribute('aria-live')).toBe(false)
    expect(other?.textContent).toContain('Acme Outfitters')
  })

  test('reads aloud what comes, and nothing of what was there before, older pages included', async () => {
    const { log, conversation } = open(({ conversation }) => {
      conversation.history.value = 'more'
      conversation.messages.value = [said(51, 'bot', 'Before')]
    })
    conversation.messages.value = [said(50, 'bot', 'Older'), ...conversation.messages.value, said(52, 'agent', 'Now')]
    const aloud = () => [...log().querySelectorAll('.row:not([aria-live])')].map(row => row.textContent)
    expect(aloud()).toEqual([expect.stringContaining('Now')])
    // Another conversation.
    batch(() => {
      conversation.history.value = 'loading'
      conversation.messages.value = []
    })
    conversation.messages.value = [said(3, 'bot', 'Of hers')]
    conversation.history.value = 'more'
    expect(aloud()).toEqual([])
  })

  test('offers answers to pick below the last message, though older ones are still on the platform', () => {
    const { view } = open(({ conversation }) => {
      conversation.history.value = 'more'
      conversation.messages.value = [{ ...said(51, 'bot', 'Which one?'), quickReplies: ['The blue one'] }]
    })
    expect(view.getByRole('button', { name: 'The blue one' })).toBeTruthy()
    expect(view.queryByRole('button', { name: 'Size guide' })).toBeNull()
  })

  test('offers what to do about a failed message, and says the state of the others', async () => {
    const { view, calls } = open(({ conversation }) => {
      conversation.pending.value = [underWay('a', 'First', 'waiting'), underWay('b', 'Second', 'failed')]
    })
    expect(view.getByText('Waiting to send')).toBeTruthy()
    expect(view.getByText('Not sent.')).toBeTruthy()
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    fireEvent.click(view.getByRole('button', { name: 'Delete' }))
    expect(calls).toContainEqual(['retry', 'b'])
    expect(calls).toContainEqual(['remove', 'b'])
  })

  test('draws hostile texts as text', () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(1)</script>'
    const { root, log } = open(({ conversation }) => {
      conversation.bot.value = { ...acme, name: hostile, greeting: hostile, quickReplies: [hostile] }
      conversation.messages.value = [said(1, 'bot', hostile, 1, { quickReplies: [hostile] })]
    })
    expect(root.querySelector('img, script')).toBeNull()
    expect(log().textContent).toContain(hostile)
  })
})
