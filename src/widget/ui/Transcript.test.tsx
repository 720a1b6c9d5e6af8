import { batch } from '@preact/signals'
import { act, fireEvent, waitFor } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { names, open } from '../testing/testPanel.ts'
import { acme, pendingMessage, storedMessage } from '../testing/uiFixtures.ts'

describe('Transcript', () => {
  test('shows whether a message is by an agent or by the bot', async () => {
    const { log, view } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [
        storedMessage(1, 'bot', 'Hi'),
        storedMessage(2, 'agent', 'Nora here'),
        storedMessage(3, 'agent', 'Again'),
      ]
      conversation.reply.typing.value = { author: 'agent' }
    })
    expect(log().textContent?.match(/Team member(?! joined)/g)).toHaveLength(1)
    expect(log().textContent?.match(/Team member joined/g)).toHaveLength(1)
    expect(view.getByRole('img', { name: 'Team member is typing' })).toBeTruthy()
  })

  test('shows what the platform itself says as a notice, in nobody’s name', async () => {
    const { log } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [
        storedMessage(1, 'bot', 'Hi'),
        storedMessage(2, 'system', 'The answer was interrupted.'),
      ]
    })
    const notice = [...log().querySelectorAll('[part=message]')].at(-1)
    expect(notice?.textContent).toBe('The answer was interrupted.')
    expect(notice?.closest('article')).toBeNull()
    expect(notice?.matches('.rule')).toBe(true)
  })

  test('labels each message with its author and time, and what can be done with one describes it', async () => {
    const { view, root } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Hi')]
      conversation.outbox.pending.value = [pendingMessage('a', 'Hello?', 'failed')]
    })
    expect(view.getByRole('article', { name: /^Acme Outfitters, 0?9:41/ })).toBeTruthy()
    expect(view.getByRole('article', { name: /^You, 0?9:50/ })).toBeTruthy()
    for (const name of ['Retry', 'Delete']) {
      const id = view.getByRole('button', { name }).getAttribute('aria-describedby')
      expect(root.getElementById(id ?? '')?.textContent).toBe('Hello?')
    }
  })

  test('marks what the bot writes with its language', async () => {
    const { log } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, locale: 'de' }
      conversation.messageStore.messages.value = [
        storedMessage(1, 'bot', 'Hallo'),
        storedMessage(2, 'visitor', 'Hi'),
        storedMessage(3, 'system', 'Entschuldigung'),
      ]
    })
    const languages = [...log().querySelectorAll('[part=message]')].map(text => text.getAttribute('lang'))
    expect(languages).toEqual(['de', 'de', 'de', null, 'de'])
  })

  test('moves new messages in, and none that was there before or comes with an older page', async () => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'more'
      conversation.messageStore.messages.value = [storedMessage(51, 'bot', 'Before')]
    })
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [storedMessage(50, 'bot', 'Older'), ...messages.value, storedMessage(52, 'agent', 'Now')]
      conversation.outbox.pending.value = [pendingMessage('a', 'Mine')]
    })
    const entering = [...log().querySelectorAll('.enter .bubble')].map(bubble => bubble.textContent)
    expect(entering).toEqual(['Now', 'Mine'])
  })

  test('does not move in again what the visitor scrolls away from and back to', async () => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = Array.from({ length: 200 }, (_, index) =>
        storedMessage(index + 1, 'bot', `${index + 1}`),
      )
    })
    const { messages } = conversation.messageStore
    act(() => {
      messages.value = [...messages.value, storedMessage(201, 'bot', 'Now')]
    })
    const entering = () => [...log().querySelectorAll('.enter .bubble')].map(bubble => bubble.textContent)
    const texts = () => [...log().querySelectorAll('.bubble')].map(bubble => bubble.textContent)
    expect(entering()).toEqual(['Now'])
    Object.defineProperty(log(), 'scrollHeight', { value: 1000 })
    const scrollTo = (top: number) => {
      log().scrollTop = top
      act(() => void log().dispatchEvent(new Event('scroll')))
    }
    scrollTo(1000)
    scrollTo(0)
    expect(texts()).not.toContain('Now')
    scrollTo(1000)
    expect(texts()).toContain('Now')
    expect(entering()).toEqual([])
  })

  test('shows no time of a reply before it is complete', async () => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
      conversation.reply.streaming.value = { id: 'm2', text: 'Good' }
    })
    const time = () => log().querySelector('.row:last-child .meta')?.textContent
    expect(time()).toBe('')
    act(() =>
      batch(() => {
        conversation.messageStore.messages.value = [
          ...conversation.messageStore.messages.value,
          storedMessage(2, 'bot', 'Good morning'),
        ]
        conversation.reply.streaming.value = null
      }),
    )
    expect(time()).toMatch(/9:42/)
  })

  test('shows dots below a reply that pauses, and none once it goes on', async () => {
    const { view, conversation } = await open(({ conversation }) => {
      conversation.reply.streaming.value = { id: 'm2', text: 'Let me look that up' }
    })
    const dots = () => view.queryByRole('img', { name: /is typing/ })
    expect(dots()).toBeNull()
    act(() => {
      conversation.reply.isPaused.value = true
    })
    expect(dots()).not.toBeNull()
    act(() => {
      conversation.reply.isPaused.value = false
    })
    expect(dots()).toBeNull()
  })

  test('shows what the bot does before it writes, as text, and announces it once', async () => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, locale: 'de' }
    })
    const { typing } = conversation.reply
    const changes = new MutationObserver(() => {})
    changes.observe(log(), { subtree: true, childList: true, characterData: true, attributes: true })
    const show = (progress: object) => {
      act(() => {
        typing.value = { author: 'bot', id: 'm2', ...progress }
      })
      return changes.takeRecords().length
    }
    const text = () => log().querySelector('.bubble:has(.dots)')?.textContent
    show({})
    expect(text()).toBe('')
    expect(show({ thinking: true })).toBe(1)
    expect(text()).toBe('Thinking…')
    // The platform repeats it every 5 s.
    expect(show({ thinking: true })).toBe(0)
    show({ status: '<b>Ich sehe nach…</b>' })
    expect(text()).toBe('<b>Ich sehe nach…</b>')
    expect(log().querySelector('span[lang=de][dir=auto]')?.textContent).toBe(text())
    show({ status: '' })
    expect(text()).toBe('')
  })

  test('names the team member who writes, and begins a new run for another one', async () => {
    const { log, view } = await open(({ conversation }) => {
      const nora = { sender: { name: 'Nora' } }
      conversation.messageStore.messages.value = [
        { ...storedMessage(1, 'agent', 'Hi'), ...nora },
        { ...storedMessage(2, 'agent', 'Again'), ...nora },
        { ...storedMessage(3, 'agent', 'Me too'), sender: { name: 'Omar' } },
      ]
      conversation.reply.typing.value = { author: 'agent', ...nora }
    })
    expect([...log().querySelectorAll('.row.agent > span.meta')].map(name => name.textContent)).toEqual([
      'Nora',
      'Omar',
    ])
    expect(view.getByRole('img', { name: 'Nora is typing' })).toBeTruthy()
  })

  test('shows when a message that exceeded the rate limit will be sent', async () => {
    const { view } = await open(({ conversation }) => {
      const resumesAt = new Date(2026, 2, 14, 9, 52).toISOString()
      conversation.outbox.pending.value = [{ ...pendingMessage('a', 'Hi', 'waiting'), resumesAt }]
    })
    expect(view.getByText(/Too many messages. Will send at 0?9:52/)).toBeTruthy()
  })

  test('keeps the bubble of a streaming reply when it is stored, and is marked as busy until then', async () => {
    const { log, conversation } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi')]
      conversation.reply.streaming.value = { id: 'm2', text: 'Good' }
    })
    const bubble = () => [...log().querySelectorAll('[part=message]')].at(-1)
    const before = bubble()
    expect(log().getAttribute('aria-busy')).toBe('true')
    conversation.reply.streaming.value = { id: 'm2', text: 'Good morn' }
    await waitFor(() => expect(before?.textContent).toBe('Good morn'))
    batch(() => {
      conversation.messageStore.messages.value = [
        ...conversation.messageStore.messages.value,
        storedMessage(2, 'bot', 'Good morning'),
      ]
      conversation.reply.streaming.value = null
    })
    await waitFor(() => expect(bubble()?.textContent).toBe('Good morning'))
    expect(bubble()).toBe(before)
    expect(log().getAttribute('aria-busy')).toBe('false')
  })

  test('announces no messages of the visitor, and those of others with their author', async () => {
    const { log, conversation } = await open()
    act(() => {
      conversation.messageStore.messages.value = [storedMessage(1, 'visitor', 'Hi'), storedMessage(2, 'bot', 'Hello')]
    })
    const [own, other] = [...log().querySelectorAll('.row')].slice(-2)
    expect(own?.getAttribute('aria-live')).toBe('off')
    expect(other?.hasAttribute('aria-live')).toBe(false)
    expect(other?.textContent).toContain('Acme Outfitters')
  })

  test('announces new messages only, and no older pages', async () => {
    const { log, conversation, session } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'more'
      conversation.messageStore.messages.value = [storedMessage(51, 'bot', 'Before')]
    })
    const { messages, history } = conversation.messageStore
    act(() => {
      messages.value = [storedMessage(50, 'bot', 'Older'), ...messages.value, storedMessage(52, 'agent', 'Now')]
    })
    const announced = () => [...log().querySelectorAll('.row:not([aria-live])')].map(row => row.textContent)
    expect(announced()).toEqual([expect.stringContaining('Now')])
    act(() =>
      batch(() => {
        session.scopeKey.value = 'another'
        history.value = 'loading'
        messages.value = []
      }),
    )
    act(() => {
      messages.value = [storedMessage(3, 'bot', 'Of hers')]
      history.value = 'more'
    })
    expect(log().textContent).toContain('Of hers')
    expect(announced()).toEqual([])
  })

  test('shows quick replies below the last message, even if older messages are not loaded', async () => {
    const { view } = await open(({ conversation }) => {
      conversation.messageStore.history.value = 'more'
      conversation.messageStore.messages.value = [
        { ...storedMessage(51, 'bot', 'Which one?'), quickReplies: ['The blue one'] },
      ]
    })
    expect(view.getByRole('button', { name: 'The blue one' })).toBeTruthy()
    expect(view.queryByRole('button', { name: 'Size guide' })).toBeNull()
  })

  test('shows buttons for a failed message, and the status of the others', async () => {
    const { view, calls } = await open(({ conversation }) => {
      conversation.outbox.pending.value = [
        pendingMessage('a', 'First', 'waiting'),
        pendingMessage('b', 'Second', 'failed'),
      ]
    })
    expect(view.getByText('Waiting to send')).toBeTruthy()
    expect(view.getByText('Not sent.')).toBeTruthy()
    fireEvent.click(view.getByRole('button', { name: 'Retry' }))
    fireEvent.click(view.getByRole('button', { name: 'Delete' }))
    expect(calls).toContainEqual(['retry', 'b'])
    expect(calls).toContainEqual(['remove', 'b'])
  })

  test('shows a stored message without text as empty while a reply streams in below it', async () => {
    const { log } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', '')]
      conversation.reply.streaming.value = { id: 'm2', text: 'Good' }
    })
    const texts = [...log().querySelectorAll('[part=message]')].slice(-2).map(bubble => bubble.textContent)
    expect(texts).toEqual(['', 'Good'])
  })

  test('gives quick replies a key, but no attribute with that name', async () => {
    const { view, conversation } = await open()
    const [first, last] = ['Where is my order?', 'Size guide'].map(name => view.getByRole('button', { name }))
    expect(first?.hasAttribute('key')).toBe(false)
    act(() => {
      conversation.botProfile.profile.value = { ...acme, quickReplies: ['Size guide', 'Where is my order?'] }
    })
    expect(view.getByRole('button', { name: 'Size guide' })).toBe(last)
  })

  test('shows HTML in messages as text', async () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(1)</script>'
    const { root, log } = await open(({ conversation }) => {
      conversation.botProfile.profile.value = { ...acme, name: hostile, greeting: hostile, quickReplies: [hostile] }
      conversation.messageStore.messages.value = [storedMessage(1, 'bot', hostile, 1, { quickReplies: [hostile] })]
    })
    expect(root.querySelector('img, script')).toBeNull()
    expect(log().textContent).toContain(hostile)
  })
})

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

test('a message that could not be sent is announced once, and again when it fails again', async () => {
  const { root, log, conversation } = await open(({ conversation }) => {
    conversation.outbox.pending.value = [pendingMessage('old', 'Failed before the chat was opened', 'failed')]
  })
  const { pending } = conversation.outbox
  const region = root.querySelector('[role=alert]') as HTMLElement
  expect(region.textContent).toBe('')
  expect(log().contains(region)).toBe(false)
  const announced: string[] = []
  const note = () => {
    if (region.textContent) announced.push(region.textContent)
  }
  new MutationObserver(note).observe(region, { childList: true, characterData: true, subtree: true })
  const show = async (...statuses: ('sending' | 'failed')[]) => {
    await act(async () => {
      const texts = ['Where is my order?', 'x'.repeat(4000)]
      pending.value = statuses.map((status, index) => pendingMessage(`m${index}`, texts[index] ?? '', status))
    })
    return announced.splice(0)
  }
  expect(await show('sending')).toEqual([])
  expect(await show('failed')).toEqual(['Not sent. Where is my order?'])
  expect(await show('failed', 'sending')).toEqual([])
  expect(await show('failed', 'failed')).toEqual([`Not sent. ${'x'.repeat(80)}`])
  expect(await show('sending', 'failed')).toEqual([])
  expect(await show('failed', 'failed')).toEqual(['Not sent. Where is my order?'])
  expect(await show('sending', 'sending')).toEqual([])
  expect(region.textContent).toBe('')
  expect(await show('failed', 'sending')).toEqual(['Not sent. Where is my order?'])
  // Rows are rendered anew as the visitor scrolls.
  expect(log().querySelector('[role=alert]')).toBeNull()
})
