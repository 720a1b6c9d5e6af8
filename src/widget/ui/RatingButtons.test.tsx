import { act, fireEvent } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { acme, pendingMessage, storedMessage } from '../testing/uiFixtures.ts'
// Loads the chunk now, so that a test need not wait for it on a busy machine.
import './RatingButtons.tsx'

const rated = (ratings = true) =>
  open(({ conversation }) => {
    conversation.botProfile.profile.value = { ...acme, ratings }
    conversation.messageStore.messages.value = [
      storedMessage(1, 'visitor', 'Hello?'),
      storedMessage(2, 'bot', 'Within 30 days.', 2),
      storedMessage(3, 'system', 'The answer was interrupted.', 5),
      storedMessage(4, 'agent', 'Nora here.', 9, { rating: 'up' }),
      storedMessage(5, 'agent', '', 15, { removedAt: '2026-03-14T10:00:00.000Z' }),
    ]
    conversation.outbox.pending.value = [pendingMessage('p', 'Thanks')]
  })

describe('RatingButtons', () => {
  test('stand below answers of the bot and of agents only, with names, state and what they are about', async () => {
    const { view, root } = await rated()
    const buttons = await view.findAllByRole('button', { name: /elpful$/ })
    expect(
      buttons.map(button => [
        button.getAttribute('aria-label'),
        button.getAttribute('aria-pressed'),
        root.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent,
      ]),
    ).toEqual([
      ['Helpful', 'false', 'Within 30 days.'],
      ['Not helpful', 'false', 'Within 30 days.'],
      ['Helpful', 'true', 'Nora here.'],
      ['Not helpful', 'false', 'Nora here.'],
    ])
  })

  test('rate, change the rating, and take it back when they are pressed again', async () => {
    const { view, calls, conversation } = await rated()
    const [up, down, pressed] = await view.findAllByRole('button', { name: /elpful$/ })
    for (const button of [up, down, pressed]) fireEvent.click(button as HTMLElement)
    expect(calls.filter(([name]) => name === 'rate')).toEqual([
      ['rate', 'm2', 'up'],
      ['rate', 'm2', 'down'],
      ['rate', 'm4', null],
    ])
    await act(() => {
      conversation.ratings.pending.value = new Map([
        ['m2', 'down'],
        ['m4', null],
      ])
    })
    expect([down, pressed].map(button => button?.getAttribute('aria-pressed'))).toEqual(['true', 'false'])
  })

  test('stand within a group of answers only where one has been rated, and stay when the rating is taken back', async () => {
    const { view, root, conversation } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, ratings: true }
      conversation.messageStore.messages.value = ['One', 'Two', 'Three', 'Four'].map((text, index) =>
        storedMessage(index + 1, 'bot', text, 1, index === 1 ? { rating: 'up' } : {}),
      )
    })
    const rated = () =>
      view
        .getAllByRole('button', { name: 'Helpful' })
        .map(button => root.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent)
    await view.findAllByRole('button', { name: 'Helpful' })
    expect(rated()).toEqual(['Two', 'Four'])
    // Not stored yet: there is no network.
    await act(() => {
      conversation.ratings.pending.value = new Map([
        ['m2', null],
        ['m3', 'down'],
      ])
    })
    expect(rated()).toEqual(['Two', 'Three', 'Four'])
  })

  test('are not there unless the bot has ratings', async () => {
    const { view } = await rated(false)
    expect(view.queryAllByRole('button', { name: /elpful$/ })).toEqual([])
  })
})
