import { expect, test } from './fakeSite.ts'

declare global {
  interface Window {
    /** How often the transcript's text changed. */
    textChanges: number
    /** How many animation frames there were meanwhile. */
    frameCount: number
  }
}

const deltas = 600

test('a reply that streams in', async ({ browser, page, fakeSite, chat }) => {
  await page.addInitScript(() => {
    // Simulates a hidden tab, which gets no animation frames.
    const { requestAnimationFrame } = window
    window.requestAnimationFrame = callback => (document.title === 'hidden' ? 0 : requestAnimationFrame(callback))
  })
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.send('Tell me everything')
  await expect(chat.panel).toContainText('Sent')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  const { messages } = fakeSite.visitor()
  await test.step('at 200 deltas per second is rendered at most once per frame, and typing stays possible', async () => {
    await page.evaluate(() => {
      const log = document.querySelector('[data-natter]')?.shadowRoot?.querySelector('.log')
      window.textChanges = 0
      window.frameCount = 1
      new MutationObserver(() => window.textChanges++).observe(log as Node, { subtree: true, characterData: true })
      const next = () => {
        window.frameCount++
        requestAnimationFrame(next)
      }
      next()
    })
    let text = ''
    const startedAt = Date.now()
    const stream = (async () => {
      for (let count = 0; count < deltas; count++) {
        const word = `word${count} `
        fakeSite.platform.emit(messages, {
          event: 'message.delta',
          data: { id: 'reply', offset: text.length, text: word },
        })
        text += word
        const ahead = startedAt + (count + 1) * 5 - Date.now()
        if (ahead > 0) await new Promise(resolve => setTimeout(resolve, ahead))
      }
    })()
    await chat.composer.pressSequentially('While it comes I write')
    await stream
    await expect(chat.transcript).toContainText(`word${deltas - 1}`)
    expect(await chat.composer.inputValue()).toBe('While it comes I write')
    const { textChanges, frameCount } = await page.evaluate(() => ({
      textChanges: window.textChanges,
      frameCount: window.frameCount,
    }))
    expect(textChanges).toBeGreaterThan(10)
    expect(textChanges).toBeLessThanOrEqual(frameCount)
    fakeSite.platform.say(messages, { id: 'reply', text })
    await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
  })
  await test.step('and pauses has dots below it, and nothing moves by them', async () => {
    fakeSite.platform.emit(messages, {
      event: 'message.delta',
      data: { id: 'paused', offset: 0, text: 'Let me look.' },
    })
    const bubble = chat.transcript.locator('.bubble', { hasText: 'Let me look.' })
    await bubble.evaluate(element => Promise.all(element.getAnimations().map(({ finished }) => finished)))
    const before = await bubble.boundingBox()
    const dots = chat.transcript.getByRole('img', { name: 'Acme is typing' })
    await expect(dots).toBeVisible()
    expect(await bubble.boundingBox()).toEqual(before)
    fakeSite.platform.say(messages, { id: 'paused', text: 'Let me look. It left on Monday.' })
    await expect(dots).toHaveCount(0)
  })
  await test.step('and is long and in Markdown restyles few of its elements when it ends', async () => {
    const section =
      '- **It** left our *warehouse* on `Monday`\n- **It** was handed over *to the carrier* on `Tuesday`\n\n***\n\n'
    const reply = { id: 'long', format: 'markdown', text: `${section.repeat(100)}The end` } as const
    fakeSite.platform.emit(messages, { event: 'message.delta', data: { ...reply, offset: 0 } })
    const markdown = chat.transcript.locator('.markdown')
    await expect(markdown.locator('ul')).toHaveCount(100)
    await expect(markdown.locator('> p')).toHaveText('The end')
    // All of it has been styled and painted.
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))

    await browser.startTracing(page, { categories: ['devtools.timeline'] })
    fakeSite.platform.say(messages, reply)
    await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
    await expect(markdown.locator('> :last-child')).toHaveCSS('direction', 'ltr')
    const { traceEvents } = JSON.parse(`${await browser.stopTracing()}`) as {
      traceEvents: { name: string; args: { elementCount?: number } }[]
    }
    const restyled = traceEvents
      .filter(({ name }) => name === 'UpdateLayoutTree')
      .map(({ args }) => args.elementCount ?? 0)
    expect(restyled.length).toBeGreaterThan(0)
    // The reply has 1001 elements, 101 of which are blocks with `dir`.
    expect(Math.max(...restyled)).toBeLessThan(300)
  })
  await test.step('while the tab is hidden is complete when the tab is visible again', async () => {
    await page.evaluate(() => {
      document.title = 'hidden'
    })
    const delta = (offset: number, text: string) =>
      fakeSite.platform.emit(messages, { event: 'message.delta', data: { id: 'hidden', offset, text } })
    delta(0, 'It begins')
    await expect(chat.transcript).toContainText('It begins')
    delta(9, ' and goes on')
    fakeSite.platform.say(messages, { id: 'hidden', text: 'It begins and goes on to its end' })
    await expect(chat.transcript).toContainText('It begins and goes on to its end')
  })
})
