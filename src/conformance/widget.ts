import * as expect from './expect.ts'
import { bodyOf, dataOf, type Fields, listOf } from './reply.ts'
import { ours, type Rule } from './rule.ts'
import type { TestTarget } from './testTarget.ts'

const nonce = 'natter-conformance_1'
const newBearer = async (target: TestTarget): Promise<string> =>
  `Bearer ${await target.newToken((await target.newContact()).id)}`

/** Each of the visitor's reads by `POST`, with the `GET` that returns the same. */
const reads = [
  { get: '/widget/session', post: '/widget/session/retrieve' },
  { get: '/widget/messages', post: '/widget/messages/list' },
  { get: '/widget/events', post: '/widget/events/stream' },
]

/** The endpoints of the widget. */
export const widgetRules: Rule[] = [
  ours('widget', 'session and messages can be read by POST as by GET, and the response has the nonce', async target => {
    const contact = await target.newContact()
    const authorization = `Bearer ${await target.newToken(contact.id)}`
    // From an agent: a visitor's message would ask the bot's responder, which may cost its owner something.
    const json = { id: crypto.randomUUID(), text: 'Conformance' }
    expect.status(await target.request('POST', `/contacts/${contact.id}/messages`, { json }), 201)
    const read = (path: string) => target.request('GET', path, { authorization })
    const readByPost = (path: string) => target.request('POST', path, { authorization, json: { nonce } })

    const session = await readByPost('/widget/session/retrieve')
    expect.equal('the session', dataOf(session), dataOf(await read('/widget/session')))
    const messages = await readByPost('/widget/messages/list')
    expect.equal('the messages', listOf(messages), listOf(await read('/widget/messages')))
    expect.equal(
      'the ids of the messages',
      listOf(messages).map(({ id }) => id),
      [json.id],
    )
    for (const answer of [session, messages]) expect.equal('the nonce', bodyOf(answer)['nonce'], nonce)
  }),
  ours('widget', 'the sources of a message are shown to the visitor, and must be https (else 400)', async target => {
    const { id } = await target.newContact()
    const authorization = `Bearer ${await target.newToken(id)}`
    const source = { title: 'Conformance', url: 'https://example.com/' }
    const send = (sources: unknown[]) =>
      target.request('POST', `/contacts/${id}/messages`, {
        json: { id: crypto.randomUUID(), text: 'Conformance', sources },
      })
    expect.status(await send([source]), 201)
    const wrong = [{ url: 'http://example.com/' }, { title: '' }].map(change => [{ ...source, ...change }])
    for (const sources of [...wrong, Array(9).fill(source)]) expect.problem(await send(sources), 400, 'invalid_request')
    const messages = listOf(await target.request('GET', '/widget/messages', { authorization }))
    expect.equal(
      'the sources of the messages',
      messages.map(({ sources }) => sources),
      [[source]],
    )
  }),
  ours('widget', 'a removed message leaves its place without its text, however often it is removed', async target => {
    const contact = await target.newContact()
    const authorization = `Bearer ${await target.newToken(contact.id)}`
    const json = { id: crypto.randomUUID(), text: 'Conformance', as: { name: 'Conformance' } }
    const path = `/contacts/${contact.id}/messages`
    expect.status(await target.request('POST', path, { json }), 201)
    expect.problem(await target.request('DELETE', `${path}/${crypto.randomUUID()}`), 404, 'not_found')
    for (let time = 0; time < 2; time++) expect.status(await target.request('DELETE', `${path}/${json.id}`), 204)
    const messages = await target.request('GET', '/widget/messages', { authorization })
    const [left] = listOf(messages)
    expect.equal('id, text and sender', [left?.['id'], left?.['text'], left?.['sender']], [json.id, '', undefined])
    expect.that(typeof left?.['removedAt'] === 'string', 'removedAt: a time', String(left?.['removedAt']))
    expect.equal('the revision of the page', bodyOf(messages)['revision'], 1)
    const session = dataOf(await target.request('GET', '/widget/session', { authorization }))
    expect.equal('the state', session['conversation'], { lastSeq: 1, readSeq: 0, unread: 0, revision: 1 })
  }),
  ours('widget', 'stopping a reply is harmless where nobody writes, and needs its id and a token', async target => {
    const authorization = await newBearer(target)
    const json = { id: crypto.randomUUID() }
    for (let time = 0; time < 2; time++)
      expect.status(await target.request('POST', '/widget/stop', { authorization, json }), 204)
    const bad = await target.request('POST', '/widget/stop', { authorization, json: { id: 'last' } })
    expect.invalid(bad, '/id')
    const anonymous = await target.request('POST', '/widget/stop', { authorization: '', json })
    expect.problem(anonymous, 401, 'unauthorized')
  }),
  ours('widget', 'a visitor rates answers of the own conversation only, if the profile says so', async target => {
    const { ratings } = dataOf(await target.request('GET', '/widget', { authorization: '' }))
    const contact = await target.newContact()
    const authorization = `Bearer ${await target.newToken(contact.id)}`
    const answer = { id: crypto.randomUUID(), text: 'Conformance' }
    expect.status(await target.request('POST', `/contacts/${contact.id}/messages`, { json: answer }), 201)
    const rate = (rating: unknown, id = answer.id, as = authorization) =>
      target.request('POST', '/widget/rating', { authorization: as, json: { id, rating } })
    expect.invalid(await rate('great'), '/rating')
    expect.problem(await rate('up', crypto.randomUUID()), 404, 'not_found')
    expect.problem(await rate('up', answer.id, await newBearer(target)), 404, 'not_found')
    for (const [index, rating] of ['up', 'down', null].entries()) {
      const rated = await rate(rating)
      if (!ratings) {
        expect.problem(rated, 404, 'not_found')
        continue
      }
      expect.equal('the revision', dataOf(rated)['revision'], index + 1)
      const [stored] = listOf(await target.request('GET', '/widget/messages', { authorization }))
      expect.equal('the rating', stored?.['rating'] ?? null, rating)
    }
  }),
  ours('widget', 'an event stream by POST begins with the nonce', async target => {
    const authorization = await newBearer(target)
    const reply = await target.openStream('POST', '/widget/events/stream', { authorization, json: { nonce } })
    expect.status(reply, 200)
    expect.header(reply, 'content-type', /^text\/event-stream\b/)
    const first = /^event: (.*)\ndata: (.*)\n\n/m.exec(reply.text) ?? []
    expect.equal('the first event and its data', first.slice(1), ['opened', JSON.stringify({ nonce })])
  }),
  ours('widget', 'a nonce is 16 to 64 characters of base64url; anything else returns 400', async target => {
    const authorization = await newBearer(target)
    for (const { post } of reads)
      for (const wrong of [undefined, '', 'x'.repeat(15), 'x'.repeat(65), `${nonce}=`, `${nonce}\n`, 1, null]) {
        const reply = await target.openStream('POST', post, { authorization, json: { nonce: wrong } })
        expect.invalid(reply, '/nonce')
      }
  }),
  ours('widget', 'responses with personal data vary by Authorization and Origin, and forbid caching', async target => {
    const authorization = await newBearer(target)
    for (const { get, post } of reads)
      for (const reply of [
        // A stream by GET begins with no event, and HEAD has the same headers.
        await target.request('HEAD', get, { authorization }),
        await target.openStream('POST', post, { authorization, json: { nonce } }),
      ]) {
        expect.status(reply, 200)
        expect.header(reply, 'cache-control', /\bno-store\b/)
        for (const name of ['authorization', 'origin']) expect.header(reply, 'vary', new RegExp(`\\b${name}\\b`, 'i'))
      }
  }),
  ours('widget', 'the 401 for a token says why: unauthorized, token_revoked or contact_deleted', async target => {
    const { id } = await target.newContact()
    const [revoked, deleted] = [await target.newToken(id), await target.newToken(id)]
    expect.status(await target.request('DELETE', `/auth/contacts/${revoked}`), 204)
    expect.status(await target.request('DELETE', `/contacts/${id}`), 204)
    // Only two: failed authentications count against the rate limit of this address.
    for (const authorization of ['', `Bearer c:${'0'.repeat(64)}`])
      expect.problem(await target.request('GET', '/widget/session', { authorization }), 401, 'unauthorized')
    for (const { get, post } of reads)
      for (const [token, code] of [
        [revoked, 'token_revoked'],
        [deleted, 'contact_deleted'],
      ] as const) {
        const authorization = `Bearer ${token}`
        expect.problem(await target.request('GET', get, { authorization }), 401, code)
        expect.problem(await target.request('POST', post, { authorization, json: { nonce } }), 401, code)
      }
  }),
  ours('widget', 'handing back twice stores at most one event, which is not unread', async target => {
    const { id } = await target.newContact()
    const authorization = `Bearer ${await target.newToken(id)}`
    const write = (json: object) => target.request('POST', `/contacts/${id}/messages`, { json })
    expect.status(await write({ id: crypto.randomUUID(), text: 'Conformance' }), 201)
    for (const _ of ['once', 'again']) expect.status(await write({ handBack: true }), 204)
    const [message, ...events] = listOf(await target.request('GET', '/widget/messages', { authorization }))
    expect.equal('the first message', message?.['text'], 'Conformance')
    // None where an agent's message does not silence the responder (`NATTER_AGENT_PAUSE=0`).
    if (events.length > 0)
      expect.equal(
        'the events after it',
        events.map(({ author, text, event }) => ({ author, text, event })),
        [{ author: 'system', text: '', event: 'handed_back' }],
      )
    const session = dataOf(await target.request('GET', '/widget/session', { authorization }))
    const { lastSeq, unread } = session['conversation'] as Fields
    expect.equal('the conversation', { lastSeq, unread }, { lastSeq: 1 + events.length, unread: 1 })
  }),
  ours('widget', 'a bot that offers no person refuses to hand over, and stores nothing', async target => {
    const { handover } = dataOf(await target.request('GET', '/widget', { authorization: '' }))
    expect.that(typeof handover === 'boolean', 'handover: true or false', String(handover))
    // Not where it is offered: that would call a person of the team.
    if (handover === true) return
    const authorization = await newBearer(target)
    expect.problem(await target.request('POST', '/widget/handover', { authorization }), 404, 'not_found')
    expect.equal('the messages', listOf(await target.request('GET', '/widget/messages', { authorization })), [])
  }),
  ours('widget', 'a bot for contacts only creates no anonymous session, and its profile says so', async target => {
    const { visitors } = dataOf(await target.request('GET', '/widget', { authorization: '' }))
    expect.that(visitors === 'everyone' || visitors === 'contacts', 'visitors: everyone or contacts', String(visitors))
    const started = await target.request('POST', '/widget/sessions', { authorization: '' })
    if (visitors === 'contacts') {
      expect.problem(started, 403, 'login_required')
      return
    }
    expect.status(started, 201)
    const authorization = `Bearer ${dataOf(started)['token']}`
    expect.status(await target.request('DELETE', '/widget/session', { authorization }), 204)
  }),
  ours('widget', 'a preflight allows the requested headers; of an invalid list only the usual', async target => {
    const granted = async (requested: string) => {
      const headers = { 'access-control-request-method': 'POST', 'access-control-request-headers': requested }
      const reply = await target.request('OPTIONS', '/widget/messages', { headers, authorization: '' })
      expect.status(reply, 204)
      expect.header(reply, 'vary', /\baccess-control-request-headers\b/i)
      return (reply.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/ *, */)
    }
    const known = ['authorization', 'content-type', 'last-event-id']
    const asked = await granted('authorization, x-trace')
    for (const name of [...known, 'x-trace'])
      expect.that(asked.includes(name), `${name} among the allowed headers`, asked.join(', '))
    for (const invalid of ['x-trace, x y', 'x-trace,', '*', 'x'.repeat(1025)])
      expect.equal('the allowed headers', (await granted(invalid)).toSorted(), known)
  }),
]
