import { signal } from '@preact/signals-core'
import { expect, it } from 'vitest'
import { ReadState } from '../conversation/readState.ts'
import type { Page } from '../environment/page.ts'
import { createFakeOrigin, createLife } from '../testing/fakeTabs.ts'
import { openTabChannel } from './tabChannel.ts'

const textOf = (seq: number) => ({ seq, author: 'bot' }) as never

/** A browser that is too busy to deliver what tabs tell each other, until `deliver()` is called. */
function createBusyBrowser() {
  const waiting: (() => void)[] = []
  let posted = 0
  const origin = createFakeOrigin((_to, deliver) => waiting.push(deliver))
  let opened = 0
  function openTab() {
    const { openChannel } = origin.openTab(`tab ${opened++}`, createLife())
    const page: Pick<Page, 'openChannel'> = {
      openChannel: (name, onMessage) => {
        const channel = openChannel(name, onMessage)
        const post: typeof channel.post = message => {
          posted++
          channel.post(message)
        }
        return { post, close: channel.close }
      },
    }
    const messages = signal<never[]>([])
    const readState = new ReadState(messages, seq => channel.post({ type: 'read', seq }))
    const channel = openTabChannel('channel', {
      page,
      readState,
      outbox: { sync: async () => {} },
      messageStore: { revision: () => 0 },
      isLive: () => true,
      onEvent() {},
      onStored() {},
    })
    return {
      readState,
      readUpTo(seq: number) {
        messages.value = [textOf(seq)]
        readState.markRead()
      },
    }
  }
  return {
    openTab,
    posted: () => posted,
    /** Delivers the oldest `count` messages. */
    deliver(count = Infinity) {
      for (let rest = count; rest > 0 && waiting.length; rest--) waiting.shift()?.()
    },
  }
}

it('says each thing that is read at most once a tab, however late the tabs hear of it', () => {
  const { openTab, deliver, posted } = createBusyBrowser()
  const tabs = Array.from({ length: 6 }, openTab)
  deliver()
  const before = posted()
  for (let seq = 1; seq <= 60; seq++) {
    tabs[seq % tabs.length]?.readUpTo(seq)
    deliver(3)
  }
  deliver()
  expect(posted() - before).toBeLessThanOrEqual(60 * tabs.length)
  for (const { readState } of tabs) expect(readState.readSeq.value).toBe(60)
})

it('tells a tab that joins what has been read, and learns what it has read', () => {
  const { openTab, deliver } = createBusyBrowser()
  const first = openTab()
  first.readUpTo(3)
  const second = openTab()
  deliver()
  expect(second.readState.readSeq.value).toBe(3)
  second.readUpTo(5)
  deliver()
  expect(first.readState.readSeq.value).toBe(5)
})
