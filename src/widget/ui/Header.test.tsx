import { act } from '@testing-library/preact'
import { describe, expect, test, vi } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { acme, storedMessage } from '../testing/uiFixtures.ts'

describe('Header', () => {
  const nora = { sender: { name: 'Nora', avatar: 'https://shop.example/nora.png' } }

  test('shows the team member who spoke last, and the bot once it answers again', async () => {
    const { view, root, conversation } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [{ ...storedMessage(1, 'agent', 'Hi'), ...nora }]
    })
    const picture = () => root.querySelector('.header img')?.getAttribute('src')
    expect(view.getByRole('heading').textContent).toBe('Nora · Acme Outfitters')
    expect(picture()).toBe(nora.sender.avatar)
    const say = (...messages: ReturnType<typeof storedMessage>[]) =>
      act(() => {
        conversation.messageStore.messages.value = [...conversation.messageStore.messages.value, ...messages]
      })
    say(storedMessage(2, 'visitor', 'Thanks'))
    expect(view.getByRole('heading').textContent).toBe('Nora · Acme Outfitters')
    say(storedMessage(3, 'bot', 'Bye'))
    expect(view.getByRole('heading').textContent).toBe('Acme Outfitters')
    expect(picture()).not.toBe(nora.sender.avatar)
  })

  test('names nobody of the team until it is known whose conversation it is', async () => {
    const { view, signIn } = await open(({ conversation, signIn }) => {
      conversation.messageStore.messages.value = [{ ...storedMessage(1, 'agent', 'Hi'), ...nora }]
      signIn.isViewHidden.value = false
    })
    act(() => {
      signIn.isViewHidden.value = true
    })
    expect(view.getByRole('heading').textContent).toBe('Acme Outfitters')
  })
})

test('the line under the bot’s name is its subtitle, which a status replaces', async () => {
  const { root, conversation } = await open(({ conversation }) => {
    conversation.botProfile.profile.value = { ...acme, subtitle: 'Answers at once' }
  })
  const lines = () => [...root.querySelectorAll('.status')].map(line => line.textContent).filter(Boolean)
  expect(lines()).toEqual(['Answers at once'])
  // What is announced holds the status alone.
  expect(root.querySelector('.title [role=status]')?.textContent).toBe('')
  act(() => {
    conversation.connection.value = 'offline'
  })
  expect(lines()).toEqual(['You’re offline'])
  act(() => {
    conversation.connection.value = 'live'
  })
  expect(lines()).toEqual(['Answers at once'])
})

test('while the team is away, the line says when it is back, until it is', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  try {
    const time = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
    vi.setSystemTime(time(28, 18))
    const openings = [28, 29].map(day => ({ from: time(day, 9), until: time(day, 17) }))
    const { root } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, subtitle: 'Answers at once', openings }
    })
    const line = () => root.querySelector('.title .status:not([role])')?.textContent
    expect(line()).toMatch(/^Team back tomorrow at 9:00\sAM$/)
    const expectLineAt = (time: string, expected: RegExp) =>
      vi.waitFor(() => {
        act(() => {
          vi.setSystemTime(time)
          vi.advanceTimersByTime(30_000)
        })
        expect(line()).toMatch(expected)
      })
    await expectLineAt(time(29, 1), /^Team back today at 9:00/)
    await expectLineAt(time(29, 9), /^Answers at once$/)
    await expectLineAt(time(28, 2), /^Team back today at 9:00/)
    // Of what comes after the last opening, nothing is known.
    await expectLineAt(time(29, 18), /^Answers at once$/)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['connecting', 'Connecting…'],
  ['reconnecting', 'Reconnecting…'],
] as const)('the status says that the chat is %s only when that takes a second', async (connection, text) => {
  const { root, conversation } = await open()
  const status = () => root.querySelector('.title [role=status]')?.textContent
  vi.useFakeTimers()
  try {
    const connect = () => {
      conversation.connection.value = connection
    }
    act(connect)
    act(() => void vi.advanceTimersByTime(999))
    expect(status()).toBe('')
    act(() => {
      conversation.connection.value = 'live'
    })
    act(connect)
    act(() => void vi.advanceTimersByTime(999))
    expect(status()).toBe('')
    act(() => void vi.advanceTimersByTime(1))
    expect(status()).toBe(text)
  } finally {
    vi.useRealTimers()
  }
})
