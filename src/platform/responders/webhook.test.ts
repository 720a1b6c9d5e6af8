import { describe, expect, it } from 'vitest'
import { isSignedWebhook, turnRequestSchema, validate } from '../../contract/index.ts'
import { as, formerSecret, sentFor, startRemote } from '../testing/remoteResponder.ts'
import { messageOf } from '../testing/scriptedResponder.ts'
import { webhookSecret } from '../testing/testServer.ts'

describe('the webhook responder', () => {
  it('sends the messages with an id that belongs to the turn, and signs each attempt anew with both secrets', async () => {
    const { endpoint, clock, answer } = await startRemote('webhook', (response, _, number) => {
      if (number === 1) response.writeHead(429, { 'retry-after': '7' }).end()
      else as('application/json', '{"text":"Nothing."}')(response)
    })
    await answer()
    const times: number[] = []
    for (const { headers, body } of endpoint.requests) {
      expect(validate(turnRequestSchema, JSON.parse(body))).toMatchObject({
        output: {
          ...{ id: 'turn_c_3', type: 'turn.requested', botId: 'b' },
          data: {
            conversationId: 'c',
            contact: { id: 'a', name: 'Ada' },
            messages: [{}, {}, { text: 'private words' }],
          },
        },
      })
      expect(headers.get('webhook-id')).toBe('turn_c_3')
      for (const secret of [webhookSecret, formerSecret])
        expect(await isSignedWebhook(secret, headers, body, clock.now() / 1000)).toBe(true)
      times.push(Number(headers.get('webhook-timestamp')))
    }
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(7)
  })

  it('sends the last thirty messages of a long conversation', async () => {
    const long = Array.from({ length: 40 }, (_, index) => messageOf('visitor', 'Hello', index + 1))
    const { messages } = (await sentFor('webhook', { question: { messages: long } })).data
    expect([messages.length, messages.at(-1)?.seq]).toEqual([30, 40])
  })

  it('sends no events, which have no text, and files by their ids, by which it can download them', async () => {
    const photo = { id: 'f', type: 'image/png' as const, size: 3, width: 1, height: 1, name: 'a.png' }
    const messages = [
      { ...messageOf('system', '', 1), event: 'handover_expired' },
      { ...messageOf('visitor', '', 2), attachments: [photo] },
    ]
    const { data } = await sentFor('webhook', { question: { messages } })
    expect(data.messages).toMatchObject([{ text: '', attachments: [photo] }])
  })

  it('does not reply after a 204', async () => {
    const { answer } = await startRemote('webhook', response => void response.writeHead(204).end())
    expect(await answer()).toMatchObject({ silent: true, pieces: 0 })
  })

  it('calls nothing without a secret of the form whsec_…', async () => {
    const settings = { secret: 'no secret' }
    const { endpoint, answer } = await startRemote('webhook', as('text/plain', 'Yes.'), { settings })
    await expect(answer()).rejects.toThrow('whsec_')
    expect(endpoint.requests).toEqual([])
  })
})
