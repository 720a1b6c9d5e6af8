import { scale } from '../src/testScale.ts'
import { expect, sweepCuts, test } from './faultyNetwork.ts'

test.setTimeout(scale.proxiedMinutes * 60_000)

test.describe('a faulty network', () => {
  test('delivers each message once and in order when connections are cut, early or late', ({ proxiedChat }) =>
    // A connection that carried a message may be reused for the stream, so all connections are cut.
    sweepCuts(proxiedChat, 'responseBytes', /^/, 240))

  test('delivers a complete reply when it arrives in small chunks, and only once when every request arrives twice', async ({
    proxiedChat,
    client,
  }) => {
    let connections = 0
    proxiedChat.proxy.plan(() => ({ chunkSize: 1 + (connections++ % 7), duplicate: true }))
    const { chat } = await proxiedChat.openTab()
    await chat.ask('How do I return something?', /30 days/)
    await chat.ask('Which payment methods do you take?', /card/i)
    const stored = await client.conversations.messages.list({ contactId: proxiedChat.contactId })
    expect(stored.map(({ author }) => author)).toEqual(['visitor', 'bot', 'visitor', 'bot'])
    await expect(chat.transcript.getByText('How do I return something?')).toHaveCount(1)
    for (const text of stored[1]?.text.split('\n').filter(Boolean) ?? [])
      await expect(chat.transcript).toContainText(text.replace(/^- /, ''))
  })
})
