import { expect, test } from './fakeSite.ts'

test('the three hundredth Markdown reply uses no more memory than the hundredth', async ({ page, fakeSite, chat }) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.send('Tell me everything')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  const devtools = await page.context().newCDPSession(page)
  const usedKiB = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1024
  }
  const used: number[] = []
  for (let count = 1; count <= 300; count++) {
    const text = `- **One**\n- [Two](https://acme.example)\n\nThis was **answer ${count}**.`
    const reply = { id: `answer-${count}`, text, format: 'markdown' } as const
    fakeSite.platform.emit(messages, { event: 'message.delta', data: { ...reply, offset: 0, text: '- **One' } })
    fakeSite.platform.say(messages, reply)
    await page.waitForFunction(
      words => document.querySelector('[data-natter]')?.shadowRoot?.querySelector('.log')?.textContent?.includes(words),
      `This was answer ${count}.`,
    )
    if (count % 100 === 0) used.push(await usedKiB())
  }
  // At most 120 messages are mounted, so from here on a reply adds little more than its text. It once was hundreds of KiB
  // each, because every reply kept the whole transcript in memory.
  const growths = used.slice(1).map((kibibytes, index) => (kibibytes - (used[index] ?? 0)) / 100)
  for (const growth of growths) expect(growth).toBeLessThan(50)
})
