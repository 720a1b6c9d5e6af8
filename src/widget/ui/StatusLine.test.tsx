import { act } from '@testing-library/preact'
import { expect, test, vi } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { acme } from '../testing/uiFixtures.ts'

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
