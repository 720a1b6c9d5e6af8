import { signal } from '@preact/signals'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../ApiError.ts'
import type { ConnectionStatus } from '../events.ts'
import { createConversations } from './conversations.ts'
import { createFakeDesk, message, nora, note, olga } from './testing/fakeDesk.ts'
import { isNote, isUnsent } from './timeline.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const unreachable = (end: string) => ({ end, error: new ApiError(0, 'unreachable', '') })
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

async function setUp(fake = createFakeDesk()) {
  const thread = await fake.open()
  await settle()
  const texts = () =>
    thread.items.value.map(item =>
      isUnsent(item) ? `${item.status}: ${item.text}` : isNote(item) ? `note: ${item.text}` : item.text,
    )
  const write = (text: string) => {
    thread.setText(text)
    thread.send()
  }
  return { fake, thread, texts, write }
}

describe('what happens to the conversation', () => {
  test('stands in order, each note after the message that was the last one', async () => {
    const fake = createFakeDesk()
    fake.notes.push(note(1, 1, 'After the first'))
    const { texts } = await setUp(fake)
    expect(texts()).toEqual(['Hello', 'note: After the first', 'Anyone?'])
  })

  test('is fetched again if more happens while it is fetched, one request at a time', async () => {
    const { fake, texts } = await setUp()
    const hold = fake.hold('/changes')
    fake.add(message(3, 'visitor', 'Third'))
    fake.add(message(4, 'visitor', 'Fourth'))
    await settle()
    expect(hold.count).toBe(1)
    // What was read before the fourth message.
    hold.release({ messages: [message(3, 'visitor', 'Third')] })
    await settle()
    expect(texts()).toEqual(['Hello', 'Anyone?', 'Third', 'Fourth'])
    expect(hold.count).toBe(2)
  })

  test('is shown although it happened while the conversation was loading', async () => {
    const fake = createFakeDesk()
    const opening = fake.open({ beforeAnswer: () => fake.add(message(3, 'visitor', 'In between')) })
    const thread = await opening
    await settle()
    expect(thread.items.value.map(({ id }) => id)).toContain(message(3, 'visitor', '').id)
  })

  test('is not shown if it was erased while it was loading', async () => {
    const fake = createFakeDesk()
    const conversations = createConversations({ ...fake.deps, api: fake.api })
    conversations.show('c1')
    fake.emit({ event: 'gone', data: { conversationId: 'c1' } })
    await settle()
    expect(conversations.current.value?.state.value.kind).toBe('missing')
  })

  test('is not shown any more once it was erased', async () => {
    const fake = createFakeDesk()
    const conversations = createConversations({ ...fake.deps, api: fake.api })
    conversations.show('c1')
    await settle()
    fake.emit({ event: 'gone', data: { conversationId: 'c2' } })
    expect(conversations.current.value?.state.value.kind).toBe('ready')
    fake.emit({ event: 'gone', data: { conversationId: 'c1' } })
    expect(conversations.current.value?.state.value.kind).toBe('missing')
  })

  test('is not shown any more if it was erased while the stream was interrupted', async () => {
    const fake = createFakeDesk()
    const conversations = createConversations({ ...fake.deps, api: fake.api })
    conversations.show('c1')
    await settle()
    const heard: string[] = []
    fake.deps.events.subscribe(({ event }) => heard.push(event))
    fake.failures.push({ end: '/changes', error: new ApiError(404, 'not_found', '') })
    fake.emit({ event: 'reset', data: {} })
    await settle()
    expect(conversations.current.value?.state.value.kind).toBe('missing')
    expect(heard).toEqual(['reset', 'gone'])
  })

  test('is fetched until the platform answers', async () => {
    const { fake, texts } = await setUp()
    fake.failures.push(unreachable('/changes'), unreachable('/changes'))
    fake.add(message(3, 'visitor', 'Third'))
    await settle(5000)
    expect(texts()).toContain('Third')
  })

  test('a removed message stays removed if an earlier page was read before its removal', async () => {
    const fake = createFakeDesk([message(4, 'visitor', 'Four'), message(5, 'visitor', 'Five')])
    const { thread, texts } = await setUp(fake)
    fake.earlier = [1, 2, 3].map(seq => message(seq, 'visitor', `Secret ${seq}`))
    const hold = fake.hold('/earlier')
    void thread.loadOlder()
    await settle()
    fake.change({ ...message(2, 'visitor', ''), removedAt: message(2, 'visitor', '').createdAt })
    await settle()
    hold.release({ messages: fake.earlier, notes: [] })
    await settle()
    expect(texts()).toEqual(['Secret 1', '', 'Secret 3', 'Four', 'Five'])
    expect(thread.history.value).toBe('complete')
  })

  test('somebody who writes is shown for some seconds, or until the message is there', async () => {
    const { fake, thread } = await setUp()
    fake.emit({ event: 'typing', data: { conversationId: 'c1' } })
    fake.emit({ event: 'typing', data: { conversationId: 'c1', member: nora } })
    fake.emit({ event: 'typing', data: { conversationId: 'c1', member: olga } })
    fake.emit({ event: 'typing', data: { conversationId: 'c2', member: { id: 'm3', name: 'Per' } } })
    expect(thread.typists.value).toEqual([null, nora])
    fake.add(message(3, 'visitor', 'Third'))
    await settle()
    expect(thread.typists.value).toEqual([nora])
    await settle(6000)
    expect(thread.typists.value).toEqual([])
  })

  test('is marked as seen if something of the visitor is unseen, and again when the visitor waits again', async () => {
    const { fake, thread } = await setUp()
    thread.markSeen()
    expect(fake.calls('/seen')).toEqual([])
    fake.add(message(3, 'visitor', 'Third'), { unseen: 1 })
    await settle()
    thread.markSeen()
    fake.update({ unseen: 0, seenSeq: 3 })
    thread.markSeen()
    expect(fake.calls('/seen')).toEqual([{ seq: 3 }])
    fake.update({ unseen: 1, seenSeq: 2 })
    thread.markSeen()
    expect(fake.calls('/seen')).toEqual([{ seq: 3 }, { seq: 3 }])
  })
})

describe('a reply', () => {
  test('is shown at once, and once when the platform has it', async () => {
    const { fake, texts, write } = await setUp()
    const hold = fake.hold('/messages')
    write('On its way')
    expect(texts().at(-1)).toBe('sending: On its way')
    hold.release()
    await settle()
    expect(texts()).toEqual(['Hello', 'Anyone?', 'On its way'])
  })

  test('whose answer is lost is sent again with the same id', async () => {
    const { fake, texts, write } = await setUp()
    fake.loseAnswer('/messages')
    write('On its way')
    await settle()
    expect(texts().at(-1)).toBe('On its way')
    await settle(1000)
    const ids = fake.calls('/messages').map(body => (body as { id: string }).id)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
    expect(texts()).toEqual(['Hello', 'Anyone?', 'On its way'])
  })

  test('waits while the platform cannot be reached, and is sent in order as soon as the line is back', async () => {
    const status = signal<ConnectionStatus>('offline')
    const { fake, texts, thread, write } = await setUp(createFakeDesk(undefined, status))
    fake.failures.push(unreachable('/messages'))
    write('One')
    write('Two')
    await settle()
    expect(texts().slice(2)).toEqual(['waiting: One', 'waiting: Two'])
    expect(thread.hasUnsaved.value).toBe(true)
    status.value = 'live'
    await settle()
    expect(texts().slice(2)).toEqual(['One', 'Two'])
  })

  test('that the platform refuses is kept, and can be edited and sent again', async () => {
    const { fake, texts, thread, write } = await setUp()
    fake.failures.push({ end: '/messages', error: new ApiError(400, 'invalid_request', '') })
    write('Wrong')
    await settle()
    expect(texts().at(-1)).toBe('failed: Wrong')
    thread.edit((thread.items.value.at(-1) as { id: string }).id)
    expect(thread.drafts.texts.value.reply).toBe('Wrong')
    expect(texts()).toEqual(['Hello', 'Anyone?'])
  })

  test('leaves no gap if the visitor has written meanwhile', async () => {
    const { fake, texts, write } = await setUp()
    fake.beforeReply = () => fake.store(message(3, 'visitor', 'Hurry'))
    write('On its way')
    await settle()
    expect(texts()).toEqual(['Hello', 'Anyone?', 'Hurry', 'On its way'])
  })

  test('asks once if somebody else has answered since it was begun, with that answer shown and the text kept', async () => {
    const { fake, texts, thread } = await setUp()
    thread.setText('Hi Mia')
    fake.add(message(3, 'agent', 'I have it', { sender: { name: olga.name }, memberId: nora.id }))
    await settle()
    thread.send()
    await settle()
    expect(thread.obstacle.value).toEqual({ kind: 'answered_meanwhile', name: olga.name })
    expect(texts()).toEqual(['Hello', 'Anyone?', 'I have it'])
    expect(thread.drafts.texts.value.reply).toBe('Hi Mia')
    thread.send()
    await settle()
    expect(thread.obstacle.value).toBeNull()
    expect(texts().at(-1)).toBe('Hi Mia')
    expect(fake.calls('/messages').map(body => (body as { knownSeq: number }).knownSeq)).toEqual([2, 3])
  })

  test('that is a file alone is begun with the file', async () => {
    const { fake, thread } = await setUp()
    fake.add(message(3, 'agent', 'I have it', { memberId: nora.id }))
    await settle()
    thread.files.add([new File(['invoice'], 'invoice.txt')])
    await settle()
    thread.send()
    await settle()
    expect(thread.obstacle.value).toBeNull()
    expect(fake.calls('/messages')).toMatchObject([{ text: '', attachments: [{}], knownSeq: 3 }])
  })

  test('to a conversation of another member names that member, and keeps the text before what was written since', async () => {
    const { fake, thread } = await setUp()
    const hold = fake.hold('/messages')
    thread.setText('First')
    thread.send()
    thread.setText('Second')
    fake.update({ assignee: nora, state: 'open' })
    hold.release()
    await settle()
    expect(thread.obstacle.value).toEqual({ kind: 'claimed_by_other', name: nora.name })
    expect(thread.drafts.texts.value.reply).toBe('First\n\nSecond')
    expect(thread.conversation.value.assignee).toEqual(nora)
    fake.update({ assignee: olga })
    await settle()
    expect(thread.obstacle.value).toBeNull()
  })

  test('that is a file alone names the other member, too, and keeps the file', async () => {
    const { fake, thread } = await setUp()
    const hold = fake.hold('/messages')
    thread.files.add([new File(['invoice'], 'invoice.txt')])
    await settle()
    thread.send()
    fake.update({ assignee: nora, state: 'open' })
    hold.release()
    await settle()
    expect(thread.obstacle.value).toEqual({ kind: 'claimed_by_other', name: nora.name })
    expect(thread.files.status.value).toBe('ready')
  })

  test('tells that the member writes at most every three seconds, and never for a note', async () => {
    const { fake, thread } = await setUp()
    for (const text of ['H', 'He', 'Hel']) thread.setText(text)
    expect(fake.calls('/typing')).toHaveLength(1)
    await settle(3000)
    thread.setText('Hell')
    expect(fake.calls('/typing')).toHaveLength(2)
    await settle(3000)
    thread.setMode('note')
    thread.setText('Secret')
    expect(fake.calls('/typing')).toHaveLength(2)
  })
})

describe('a note', () => {
  test('goes to the notes alone, and leaves the draft of the reply', async () => {
    const { fake, texts, thread, write } = await setUp()
    thread.setText('Reply')
    thread.setMode('note')
    write('For us')
    await settle(1000)
    expect(texts().at(-1)).toBe('note: For us')
    expect(fake.calls('/messages')).toEqual([])
    expect(thread.drafts.texts.value).toEqual({ reply: 'Reply', note: '' })
  })
})

describe('drafts', () => {
  test('are kept a moment after the last key, the changed one alone', async () => {
    const { fake, thread } = await setUp()
    thread.setText('He')
    await settle(500)
    thread.setText('Hello')
    await settle(799)
    expect(fake.calls('/draft')).toEqual([])
    await settle(1)
    expect(fake.calls('/draft')).toEqual([{ reply: 'Hello', knownSeq: 2 }])
    expect(thread.hasUnsaved.value).toBe(false)
  })

  test('come back', async () => {
    const fake = createFakeDesk()
    fake.drafts = { reply: 'From another browser', note: 'For us', knownSeq: 2 }
    const { thread } = await setUp(fake)
    expect(thread.drafts.texts.value).toEqual({ reply: 'From another browser', note: 'For us' })
    expect(thread.hasUnsaved.value).toBe(false)
    expect(thread.mode.value).toBe('reply')
  })

  test('ask once if somebody has answered since they were begun, also on another day', async () => {
    const fake = createFakeDesk([
      message(1, 'visitor', 'Hello'),
      message(2, 'agent', 'Hi', { sender: { name: 'Shop' } }),
    ])
    fake.drafts = { reply: 'Hello Mia', note: '', knownSeq: 1 }
    const { thread } = await setUp(fake)
    thread.send()
    await settle()
    expect(thread.obstacle.value).toEqual({ kind: 'answered_meanwhile', name: 'Shop' })
    thread.send()
    await settle()
    expect(fake.messages.at(-1)?.text).toBe('Hello Mia')
  })

  test('of a note alone is shown at once', async () => {
    const fake = createFakeDesk()
    fake.drafts = { reply: '', note: 'For us', knownSeq: 0 }
    expect((await setUp(fake)).thread.mode.value).toBe('note')
  })

  test('are kept at once when the conversation is left, and until the platform can be reached', async () => {
    const { fake, thread } = await setUp()
    thread.setText('Hello')
    fake.failures.push(unreachable('/draft'))
    thread.flush()
    await settle()
    expect(thread.hasUnsaved.value).toBe(true)
    await settle(5000)
    expect(fake.calls('/draft')).toEqual(Array(2).fill({ reply: 'Hello', knownSeq: 2 }))
    expect(thread.hasUnsaved.value).toBe(false)
  })

  test('are not emptied at the platform before it has the message', async () => {
    const { fake, thread } = await setUp()
    thread.setText('Hello')
    await settle(800)
    const hold = fake.hold('/messages')
    thread.send()
    await settle(2000)
    expect(fake.calls('/draft')).toEqual([{ reply: 'Hello', knownSeq: 2 }])
    hold.release()
    await settle()
    expect(fake.calls('/draft').at(-1)).toMatchObject({ reply: '' })
  })
})

describe('what is kept and sent', () => {
  const refused = (end: string) => ({ end, error: new ApiError(404, 'not_found', '') })

  test('a draft that is longer than a message counts as unsaved, and its beginning is kept once', async () => {
    const { fake, thread } = await setUp()
    thread.setText('x'.repeat(4001))
    await settle(10_000)
    expect(fake.calls('/draft')).toEqual([{ reply: 'x'.repeat(4000), knownSeq: 2 }])
    expect(thread.hasUnsaved.value).toBe(true)
    thread.setText('x'.repeat(4000))
    expect(thread.hasUnsaved.value).toBe(false)
  })

  test('a draft that the platform refuses is not sent again by itself', async () => {
    const { fake, thread } = await setUp()
    fake.failures.push(refused('/draft'))
    thread.setText('Hello')
    await settle(60_000)
    expect(fake.calls('/draft')).toHaveLength(1)
    expect(thread.hasUnsaved.value).toBe(true)
  })

  test('nothing is tried again after the end, though it was on its way', async () => {
    const { fake, thread, write } = await setUp()
    fake.failures.push(unreachable('/draft'), unreachable('/messages'))
    write('On its way')
    thread.setText('Hello')
    void thread.flush()
    thread.dispose()
    await settle(60_000)
    expect(fake.calls('/draft')).toHaveLength(1)
    expect(fake.calls('/messages')).toHaveLength(1)
  })

  test('a reply of a member who is signed out is not repeated', async () => {
    const { fake, write, texts } = await setUp()
    fake.failures.push({ end: '/messages', error: new ApiError(401, 'unauthorized', '') })
    write('On its way')
    await settle(60_000)
    expect(fake.calls('/messages')).toHaveLength(1)
    expect(texts().at(-1)).toBe('failed: On its way')
  })
})

describe('an action', () => {
  test('takes the conversation from the owner that the member saw, and is told who was faster', async () => {
    const { fake, thread } = await setUp()
    fake.conversation = { ...fake.conversation, assignee: nora, state: 'open', version: 9 }
    expect(await thread.claim(null)).toBe(false)
    // Nothing is written that could be sent: the header says who answers.
    expect([thread.obstacle.value, thread.conversation.value.assignee]).toEqual([null, nora])
    thread.setText('Hello')
    expect(await thread.claim(null)).toBe(false)
    expect(thread.obstacle.value).toEqual({ kind: 'claimed_by_other', name: nora.name })
    expect(await thread.claim(nora.id)).toBe(true)
    expect(thread.obstacle.value).toBeNull()
    expect(thread.conversation.value.assignee).toEqual(olga)
  })

  test('does not close over what the visitor has written a moment ago', async () => {
    const { fake, thread } = await setUp()
    fake.store(message(3, 'visitor', 'Wait!'))
    expect(await thread.close()).toBe(false)
    await vi.waitFor(() => expect(thread.items.value.at(-1)).toMatchObject({ text: 'Wait!' }))
    expect(thread.conversation.value.state).toBe('waiting')
    expect(await thread.close()).toBe(true)
  })

  test('that fails says so, and changes nothing', async () => {
    const { fake, thread } = await setUp()
    fake.failures.push({ end: '/close', error: new ApiError(503, 'unavailable', '') })
    expect(await thread.close()).toBe(false)
    expect(thread.obstacle.value).toEqual({ kind: 'action_failed' })
    expect(thread.conversation.value.state).toBe('waiting')
  })
})
