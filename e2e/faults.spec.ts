import { scale } from '../src/testScale.ts'
import { expect, expectEverywhere, sweepCuts, test } from './faultyNetwork.ts'

test.setTimeout(scale.proxiedMinutes * 60_000)

test.describe('a faulty network', () => {
  test('delivers each message once and in order when connections are cut, after any number of bytes', async ({
    proxiedChat,
  }) => {
    // A connection that carried a message may be reused for the stream, so all connections are cut.
    await sweepCuts(proxiedChat, 'responseBytes', /^/)
  })

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

  test('catches up after two hours of sleep and sends the pending message once', async ({ proxiedChat, context }) => {
    await context.clock.install()
    await proxiedChat.sendAsAgent('agent 0')
    const tabs = [await proxiedChat.openTab(), await proxiedChat.openTab()]
    const sent = ['agent 0']
    proxiedChat.proxy.plan(() => ({ responseBytes: 0, by: 'stall' }))
    proxiedChat.proxy.breakAll('stall')
    await tabs[0]?.say('visitor 1')
    sent.push('visitor 1')
    // More messages than a stream replays.
    for (let count = 1; count <= 210; count++) {
      sent.push(`agent ${count}`)
      await proxiedChat.sendAsAgent(`agent ${count}`)
    }
    proxiedChat.proxy.plan(() => ({}))
    proxiedChat.proxy.resetStalled()
    await context.clock.fastForward('02:00:00')
    await expectEverywhere(proxiedChat, tabs, sent)
  })
})
