import { expect, test } from './fakeSite.ts'

const count = 400
const stepPx = 250

/** Scrolls a step a frame, up until the first message is in view or down to the very end; says what was painted meanwhile. */
async function travel(log: Element, stepPx: number) {
  const seen = new Set<number>()
  const painted = { mostRows: 0, inOrder: true, farthestPx: 0, apartPx: 0 }
  const look = () => {
    const view = log.getBoundingClientRect()
    const rows = [...log.querySelectorAll('[part=message]')].map(row => ({ row, box: row.getBoundingClientRect() }))
    const inView = rows.filter(({ box }) => box.bottom > view.top && box.top < view.bottom)
    const numbers = inView.flatMap(({ row }) => Number(/Message (\d+)\./.exec(row.textContent ?? '')?.[1]) || [])
    for (const number of numbers) seen.add(number)
    painted.mostRows = Math.max(painted.mostRows, rows.length)
    painted.inOrder &&= numbers.every((number, index) => number === (numbers[0] ?? 0) + index)
    return new Map(inView.map(({ row, box }) => [row, box.top]))
  }
  let before = look()
  while (stepPx > 0 || !seen.has(1)) {
    log.scrollTop += stepPx
    await new Promise(requestAnimationFrame)
    const now = look()
    const moves = [...now].flatMap(([row, top]) => (before.has(row) ? top - (before.get(row) ?? 0) : []))
    // Close to the end the transcript goes there by itself.
    if (log.scrollHeight - log.scrollTop - log.clientHeight < 1) break
    painted.farthestPx = Math.max(painted.farthestPx, ...moves.map(Math.abs))
    painted.apartPx = Math.max(painted.apartPx, Math.max(...moves) - Math.min(...moves))
    before = now
  }
  return { ...painted, numbers: seen.size }
}

test('a long conversation is read to its beginning and back: every message, in order, none jumps, 120 in the page', async ({
  page,
  fakeSite,
  chat,
}) => {
  const { token, messages } = fakeSite.contact('Ada Lovelace', count - 1)
  fakeSite.platform.say(messages, { text: `Message ${count}. https://acme.example/` })
  await page.goto(fakeSite.url())
  await page.evaluate(given => window.Natter.auth.contacts.login({ token: given }), token)
  await chat.open()
  const jump = chat.panel.locator('.jump')
  await jump.click()
  await expect(jump).toHaveCount(0)
  await chat.transcript.getByRole('link').focus()
  for (const px of [-stepPx, stepPx]) {
    const painted = await chat.transcript.evaluate(travel, px)
    // Where the focus was is gone, and it is not lost with it.
    await expect(chat.transcript).toBeFocused()
    expect(painted).toMatchObject({ numbers: count, inOrder: true })
    expect(painted.mostRows).toBeGreaterThan(100)
    expect(painted.mostRows).toBeLessThanOrEqual(120)
    // What stays in view moves as one, and no further than was scrolled.
    expect(painted.apartPx).toBeLessThan(1)
    expect(painted.farthestPx).toBeLessThan(stepPx + 1)
  }
  await expect(jump).toHaveCount(0)
})
