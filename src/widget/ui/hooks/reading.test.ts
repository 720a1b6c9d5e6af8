import { signal } from '@preact/signals'
import { cleanup, renderHook } from '@testing-library/preact'
import { afterEach, expect, test } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import { adaToken, createAcme } from '../../testing/fixtures.ts'
import { useReadTracking } from './reading.ts'

afterEach(cleanup)

test('unread messages are marked as read when they load into an open panel after a login', async () => {
  const { browser } = createAcme()
  const tab = browser.openTab({ start: false })
  const { conversation } = tab.core.models
  const readUpTo = signal<number | undefined>(undefined)
  const isTrue = signal(true)
  renderHook(() => useReadTracking(conversation, { isLoaded: isTrue, isAtEnd: isTrue, isEndInView: isTrue, readUpTo }))
  const counts: number[] = []
  conversation.readState.unread.subscribe(count => counts.push(count))
  await tab.core.login(adaToken)
  await settle()
  expect(conversation.messageStore.messages.value).toHaveLength(1)
  expect(counts).toEqual([0, 1, 0])
})
