import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type {
  ConversationChanges,
  DeskConversation,
  DeskConversationPage,
  DeskCounts,
  DeskMessage,
  Note,
  OpenedConversation,
} from '../../contract/desk.ts'
import { deskEndpoints } from '../../contract/endpoints/desk.ts'
import type { Conversation, Route } from '../../contract/index.ts'
import { createMember, type TestMember } from '../testing/createMember.ts'
import { startTalk } from '../testing/startTalk.ts'
import { dataOf, outcomeOf, type TestBot } from '../testing/testTenants.ts'

/** Ada has written to a bot with a scripted responder, which answers nothing. */
async function start() {
  const talk = await startTalk()
  const nora = await createMember(talk.tenants)
  await talk.send('Where is my order?')
  await talk.asked(0)
  const [listed] = await dataOf<DeskConversation[]>(nora.call('GET', '/conversations'))
  if (!listed) throw new Error('The conversation is not listed')
  return { ...talk, nora, id: listed.id, desk: deskOf(nora, listed.id) }
}

/** What a member does in a conversation. */
function deskOf({ call }: TestMember, id: string) {
  const path = `/conversations/${id}`
  const reply = (text: string, more: object = {}) =>
    call('POST', `${path}/messages`, { json: { id: randomUUID(), text, knownSeq: 99, ...more } })
  return {
    open: () => dataOf<OpenedConversation>(call('GET', path)),
    changes: (query: string) => dataOf<ConversationChanges>(call('GET', `${path}/changes${query}`)),
    reply,
    note: (text: string) => dataOf<Note>(call('POST', `${path}/notes`, { json: { id: randomUUID(), text } })),
    claim: (from: string | null = null) => call('POST', `${path}/claim`, { json: { from } }),
    close: (knownSeq: number) => dataOf<DeskConversation>(call('POST', `${path}/close`, { json: { knownSeq } })),
    act: (action: 'hand-back' | 'reopen') => dataOf<DeskConversation>(call('POST', `${path}/${action}`)),
  }
}

describe('the desk', () => {
  it('shows the conversations of each view page by page, and their numbers', async () => {
    const { ours, nora, id, desk } = await start()
    await ours.send(await ours.visitorToken(), 'Hello')
    const list = async (query: string) => (await nora.call('GET', `/conversations?${query}`)).json()
    const first: DeskConversationPage = await list('view=bot&limit=1')
    const second: DeskConversationPage = await list(`view=bot&limit=1&after=${first.next}`)
    expect([first, second].map(({ data }) => data.length)).toEqual([1, 1])
    expect(new Set([first, second].map(({ data }) => data[0]?.id)).size).toBe(2)
    expect(second.next).toBeNull()
    expect(await outcomeOf(nora.call('GET', `/conversations?view=all&after=${first.next}`))).toBe('400 invalid_request')
    await desk.claim()
    expect(await list('view=mine')).toMatchObject({ data: [{ id, state: 'open', assignee: { name: 'Nora' } }] })
    const counts = { waiting: 0, mine: 1, unassigned: 0, bot: 1, closed: 0, all: 2 }
    expect(await dataOf<DeskCounts>(nora.call('GET', '/counts'))).toEqual(counts)
  })

  it('searches messages and contacts, and shows the line that it has found', async () => {
    const { ours, contact, nora, id, send } = await start()
    await send('Hello again\nWhere is the blue Crème brûlée bowl?')
    const list = async (query: string): Promise<DeskConversationPage> =>
      (await nora.call('GET', `/conversations?${query}`)).json()
    expect(await list('query=creme%20Bowl&state=bot&owner=nobody&days=1')).toMatchObject({ data: [] })
    const found = await list('query=creme%20Bowl&state=bot&days=1')
    expect(found).toMatchObject({ data: [{ id }], next: null })
    expect(found.excerpts).toEqual({
      [id]: { before: '…is the blue ', match: 'Crème', after: ' brûlée bowl?' },
    })
    expect((await list(`query=${contact.email}`)).excerpts[id]).toMatchObject({ match: contact.email })
    await ours.send(await ours.visitorToken(), 'One more bowl')
    const first = await list('query=bowl&limit=1')
    expect(await list(`query=bowl&limit=1&after=${first.next}`)).toMatchObject({ data: [{ id }] })
    const refused = [`query=bowls&after=${first.next}`, 'query=de%20la', 'query=', 'days=2', 'query=bowl&after=x']
    for (const query of refused)
      expect(await outcomeOf(nora.call('GET', `/conversations?${query}`))).toBe('400 invalid_request')
  })

  it('opens a conversation with its notes, the person and the own drafts, and earlier pages of it', async () => {
    const { ours, contact, nora, id, desk, send } = await start()
    await ours.call('PUT', `/contacts/${contact.id}/attributes`, { json: { attributes: { plan: 'pro' } } })
    await desk.note('the first')
    for (let count = 0; count < 50; count++) await send(`message ${count}`)
    await desk.note('the second')
    await nora.call('PUT', `/conversations/${id}/draft`, { json: { reply: 'Dear Ada', knownSeq: 51 } })
    expect(await outcomeOf(nora.call('POST', `/conversations/${id}/seen`, { json: { seq: 50 } }))).toBe('204')
    const opened = await desk.open()
    expect(opened).toMatchObject({
      conversation: { id, seenSeq: 50, unseen: 1 },
      notes: [{ text: 'the second', afterSeq: 51, author: { id: nora.id, name: 'Nora' } }],
      person: { contact: { id: contact.id, email: contact.email }, verified: { plan: 'pro' } },
      drafts: { reply: 'Dear Ada', note: '', knownSeq: 51 },
    })
    expect(opened.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 2))
    const earlier = await dataOf(nora.call('GET', `/conversations/${id}/earlier?before=2`))
    expect(earlier).toMatchObject({ messages: [{ seq: 1 }], notes: [{ text: 'the first', afterSeq: 1 }] })
    const changes = await desk.changes('?after=50&notes=1')
    expect(changes).toMatchObject({ messages: [{ seq: 51 }], changes: [], notes: [{ number: 2 }] })
  })

  it('answers under the name of the member, which ends the reply that is being written', async () => {
    const { signals, events, say, nextDelta, questions, send, desk, said, id, nora } = await start()
    await say({ text: 'Let me ' })
    await nextDelta()
    const message = { id: randomUUID() }
    const sent = await dataOf<DeskMessage>(desk.reply('It is on its way.', message))
    const { memberId, ...seen } = sent
    expect(sent).toMatchObject({
      author: 'agent',
      format: 'markdown',
      sender: { name: 'Nora' },
      memberId: nora.id,
      seq: 2,
    })
    expect(await desk.open()).toMatchObject({ conversation: { lastMessage: sent }, messages: [{ seq: 1 }, sent] })
    expect(await desk.changes('?after=1')).toMatchObject({ messages: [sent] })
    expect(signals[0]?.aborted).toBe(true)
    expect((await events.nextOf('message')).data).toEqual(seen)
    // Its answer was lost.
    expect(await dataOf(desk.reply('It is on its way.', message))).toEqual(sent)
    expect(await outcomeOf(desk.reply('Something else', message))).toBe('409 id_reused')
    await send('Thanks')
    expect(await said()).toEqual(['Where is my order?', 'It is on its way.', 'Thanks'])
    expect(questions).toHaveLength(1)
    expect(await desk.act('hand-back')).toMatchObject({ id, state: 'bot', assignee: null })
    expect(await said()).toContain('handed_back')
  })

  it('names the member who has been faster, and tells of an answer that was given meanwhile', async () => {
    const { tenants, id, desk, nora, write } = await start()
    const omar = await createMember(tenants, { name: 'Omar' })
    const other = deskOf(omar, id)
    await desk.claim()
    for (const attempt of [other.claim(), other.reply('hello')]) {
      const response = await attempt
      expect(response.status).toBe(409)
      expect(await response.json()).toMatchObject({ code: 'claimed_by_other', detail: expect.stringMatching(/^Nora /) })
    }
    expect(await dataOf(other.claim(nora.id))).toMatchObject({ assignee: { id: omar.id, name: 'Omar' } })
    await write({ id: randomUUID(), text: 'The shop here' })
    expect(await outcomeOf(other.reply('hello', { knownSeq: 1 }))).toBe('409 answered_meanwhile')
    expect(await outcomeOf(other.reply('hello', { knownSeq: 2 }))).toBe('200')
  })

  it('takes files both ways', async () => {
    const { ours, token, nora, id, desk } = await start()
    const file = `/conversations/${id}/attachments/${randomUUID()}`
    const upload = await dataOf<{ id: string }>(nora.call('PUT', file, { body: 'Your invoice' }))
    await dataOf(desk.reply('', { attachments: [{ id: upload.id, name: 'invoice.txt' }] }))
    const download = await nora.call('GET', file)
    expect(download.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(await download.text()).toBe('Your invoice')
    const own = await ours.call('GET', `/widget/attachments/${upload.id}`, { token })
    expect(await own.text()).toBe('Your invoice')
  })

  it('removes a message of anybody', async () => {
    const { nora, id, messages } = await start()
    const [question] = await messages()
    const remove = () => outcomeOf(nora.call('DELETE', `/conversations/${id}/messages/${question?.id}`))
    expect([await remove(), await remove()]).toEqual(['204', '204'])
    expect(await messages()).toMatchObject([{ text: '', removedAt: expect.any(String) }])
  })

  it('closes and reopens, and the organization sees the state and the owner, and does the same', async () => {
    const { ours, id, desk, send } = await start()
    const listed = async () => {
      const [conversation] = await dataOf<Conversation[]>(ours.call('GET', '/conversations'))
      return [conversation?.state, conversation?.assignee]
    }
    expect(await listed()).toEqual(['bot', null])
    await desk.claim()
    expect(await listed()).toEqual(['open', 'Nora'])
    // The visitor has written what the member has not seen.
    expect(await desk.close(0)).toMatchObject({ state: 'open' })
    expect(await desk.close(1)).toMatchObject({ state: 'closed' })
    expect(await listed()).toEqual(['closed', null])
    await desk.act('reopen')
    expect(await listed()).toEqual(['bot', null])
    const close = () => outcomeOf(ours.call('POST', `/conversations/${id}/close`))
    expect([await close(), await close()]).toEqual(['204', '204'])
    expect(await listed()).toEqual(['closed', null])
    await send('One more thing')
    expect(await listed()).toEqual(['bot', null])
    await close()
    expect(await outcomeOf(ours.call('POST', `/conversations/${id}/reopen`))).toBe('204')
    expect(await listed()).toEqual(['bot', null])
    for (const action of ['close', 'reopen'])
      for (const unknown of [randomUUID(), 'x'])
        expect(await outcomeOf(ours.call('POST', `/conversations/${unknown}/${action}`))).toBe('404 not_found')
  })
})

describe('what a member does not see', () => {
  const bodies: Record<string, object> = {
    reply: { id: randomUUID(), text: 'hello', knownSeq: 9 },
    addNote: { id: randomUUID(), text: 'hello' },
    claim: { from: null },
    close: { knownSeq: 9 },
    keepDraft: { reply: 'hello' },
    markSeen: { seq: 1 },
  }
  const rows = Object.entries(deskEndpoints as Record<string, Route>).filter(
    ([name, { path }]) => path.includes('{conversationId}') && name !== 'showMemberTyping',
  )

  it.each(rows)('is the one 404: %s', async (name, { method, path }) => {
    const { tenants, id, messages } = await start()
    const [question] = await messages()
    const foreign = { organizationId: tenants.otherOrganization.bot.organizationId, role: 'admin' } as const
    const members = {
      'agent of another bot': await createMember(tenants, { botIds: [tenants.sibling.bot.id] }),
      'admin of another organization': await createMember(tenants, foreign),
    }
    const call = async (member: TestMember, conversationId: string, other = question?.id ?? '') => {
      const [, below = ''] = path
        .replace('{conversationId}', conversationId)
        .replace(/\{\w+\}/, other)
        .split('/desk/api')
      const query = name === 'listEarlierMessages' ? '?before=2' : ''
      const json = bodies[name]
      const sent = json ? { json } : name === 'uploadMemberFile' ? { body: 'a file' } : {}
      const response = await member.call(method, `${below}${query}`, sent)
      const { code, detail } = (await response.json()) as { code: string; detail: string }
      return `${response.status} ${code} ${detail}`
    }
    const nora = await createMember(tenants)
    const unknown = await call(nora, randomUUID())
    expect(unknown).toMatch(/^404 not_found/)
    const outcomes = await Promise.all([
      ...Object.values(members).map(member => call(member, id)),
      ...['x', '0', '%00', id.toUpperCase()].map(conversationId => call(nora, conversationId)),
      ...(path.endsWith('}') && name !== 'openConversation' && method !== 'PUT'
        ? [randomUUID(), 'x', '%00'].map(other => call(nora, id, other))
        : []),
    ])
    expect(new Set(outcomes)).toEqual(new Set([unknown]))
  })

  it('is not listed, found, counted or asked for by bot', async () => {
    const { tenants } = await start()
    const member = await createMember(tenants, { botIds: [tenants.sibling.bot.id] })
    for (const query of ['', '?query=order']) {
      expect(await dataOf(member.call('GET', `/conversations${query}`))).toEqual([])
    }
    expect(await dataOf(member.call('GET', '/counts'))).toMatchObject({ all: 0 })
    for (const bot of [tenants.ours.bot.id, randomUUID(), 'x'])
      expect(await outcomeOf(member.call('GET', `/conversations?bot=${bot}`))).toBe('404 not_found')
  })
})

describe('what only the team sees never reaches', () => {
  const secret = 'She owes us money'
  /** Nora has written a note and a reply. */
  async function startWithNote() {
    const talk = await start()
    const { id } = await talk.desk.note(secret)
    await talk.desk.reply('It is on its way.')
    const { notes, messages } = await talk.desk.open()
    expect(notes.map(({ event, text }) => event ?? text)).toEqual([secret, 'claimed'])
    expect(messages.at(-1)?.memberId).toBe(talk.nora.id)
    const expectNothingIn = (text: string) => {
      expect(text).toContain('It is on its way.')
      for (const hidden of [secret, talk.nora.id]) expect(text).not.toContain(hidden)
    }
    return { ...talk, noteId: id, expectNothingIn }
  }
  const read = async (bot: TestBot, method: string, path: string, options: Parameters<TestBot['call']>[2]) =>
    (await bot.call(method, path, options)).text()

  it('an endpoint of the widget', async () => {
    const { ours, token, noteId, expectNothingIn } = await startWithNote()
    const texts = [
      await read(ours, 'GET', '/widget/messages', { token }),
      await read(ours, 'GET', '/widget/session', { token }),
      await read(ours, 'POST', '/widget/messages', { token, json: { id: noteId, text: 'mine' } }),
      await read(ours, 'GET', `/widget/attachments/${noteId}`, { token }),
    ]
    expectNothingIn(texts.join())
  })

  it('the event stream, live or replayed', async () => {
    const { ours, token, events, desk, expectNothingIn } = await startWithNote()
    const replayed = await ours.events(token, '?after=0&revision=0')
    await desk.note(secret)
    await desk.reply('the end')
    for (const stream of [events, replayed]) {
      const seen = []
      for (let text: unknown; text !== 'the end'; ) {
        const { data } = await stream.nextOf('message')
        text = data['text']
        seen.push(data)
      }
      expect(seen.map(({ seq }) => seq)).toEqual([1, 2, 3])
      expectNothingIn(JSON.stringify(seen))
    }
  })

  it('the responder', async () => {
    const { send, desk, questions, asked, expectNothingIn } = await startWithNote()
    await desk.act('hand-back')
    await send('And now?')
    await asked(1)
    expect(questions[1]?.messages.map(({ text }) => text)).toContain('And now?')
    expectNothingIn(JSON.stringify(questions))
  })

  it('a webhook', async () => {
    const { ours, store, desk, send, expectNothingIn } = await startWithNote()
    await store.updateBot(ours.bot.id, { events: { url: 'http://127.0.0.1:1', secret: 'whsec_a', authors: 'all' } })
    await desk.note(secret)
    await desk.reply('It is on its way.')
    await send('Thanks')
    const at = new Date(Date.UTC(2040, 0)).toISOString()
    const leased = await store.leaseDeliveries('me', at, at, { all: 100, perQueue: 100, except: [], emails: true })
    expect(leased.map(({ event }) => event.type)).toEqual(['message.created', 'message.created'])
    expectNothingIn(JSON.stringify(leased))
  })

  it('an export of the contact, or what the organization reads of the conversation', async () => {
    const { ours, store, contact, id, expectNothingIn } = await startWithNote()
    const scope = { organizationId: ours.bot.organizationId, botId: ours.bot.id, contactId: contact.id }
    const exported = JSON.stringify(await store.exportContact(scope))
    const texts = [
      await read(ours, 'GET', `/conversations/${id}/messages`, {}),
      await read(ours, 'GET', `/contacts/${contact.id}/messages`, {}),
      await read(ours, 'GET', '/conversations', {}),
    ]
    for (const text of [exported, ...texts]) expectNothingIn(text)
  })
})
