import { expect, test } from './fakeSite.ts'

declare global {
  interface Window {
    /** How often the transcript's text changed, and how many frames there were meanwhile. */
    drawings: number
    drawable: number
  }
}

const deltas = 600

test('a reply streamed at 200 deltas a second is drawn at most once a frame, and typing goes on', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.send('Tell me everything')
  await expect(chat.panel).toContainText('Sent')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  await page.evaluate(() => {
    const log = document.querySelector('[data-natter]')?.shadowRoot?.querySelector('.log')
    window.drawings = 0
    window.drawable = 1
    new MutationObserver(() => window.drawings++).observe(log as Node, { subtree: true, characterData: true })
    const next = () => {
      window.drawable++
      requestAnimationFrame(next)
    }
    next()
  })
  const { messages } = fakeSite.visitor()
  let text = ''
  const begun = Date.now()
  const stream = (async () => {
    for (let count = 0; count < deltas; count++) {
      const word = `word${count} `
      fakeSite.platform.emit(messages, {
        event: 'message.delta',
        data: { id: 'reply', offset: text.length, text: word },
      })
      text += word
      const ahead = begun + (count + 1) * 5 - Date.now()
      if (ahead > 0) await new Promise(resolve => setTimeout(resolve, ahead))
    }
  })()
  await chat.composer.pressSequentially('While it comes I write')
  await stream
  await expect(chat.transcript).toContainText(`word${deltas - 1}`)
  expect(await chat.composer.inputValue()).toBe('While it comes I write')
  const { drawings, drawable } = await page.evaluate(() => ({ drawings: window.drawings, drawable: window.drawable }))
  expect(drawings).toBeGreaterThan(10)
  expect(drawings).toBeLessThanOrEqual(drawable)
  fakeSite.platform.say(messages, { id: 'reply', text })
  await expect(chat.transcript).toHaveAttribute('aria-busy', 'false')
})

test('a reply that comes while the tab is hidden stands there in full when it is seen again', async ({
  page,
  fakeSite,
  chat,
}) => {
  await page.addInitScript(() => {
    // A hidden tab gets no frames.
    const { requestAnimationFrame } = window
    window.requestAnimationFrame = callback => (document.title === 'hidden' ? 0 : requestAnimationFrame(callback))
  })
  await page.goto(fakeSite.url())
  await chat.open()
  await chat.send('Tell me')
  await expect(chat.panel).toContainText('Sent')
  await expect.poll(() => fakeSite.platform.streams.size).toBe(1)
  await page.evaluate(() => {
    document.title = 'hidden'
  })
  const { messages } = fakeSite.visitor()
  const delta = (offset: number, text: string) =>
    fakeSite.platform.emit(messages, { event: 'message.delta', data: { id: 'reply', offset, text } })
  delta(0, 'It begins')
  await expect(chat.transcript).toContainText('It begins')
  delta(9, ' and goes on')
  fakeSite.platform.say(messages, { id: 'reply', text: 'It begins and goes on to its end' })
  await expect(chat.transcript).toContainText('It begins and goes on to its end')
})
