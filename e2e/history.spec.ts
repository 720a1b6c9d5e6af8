import { expect, test } from './fakeSite.ts'

const count = 400
const stepPx = 250

/** Scrolls one step per frame, up to the first message or down to the end, and reports what was painted. */
async function scrollThrough(log: Element, stepPx: number) {
  const seen = new Set<number>()
  const painted = { mostRows: 0, inOrder: true, farthestPx: 0, apartPx: 0 }
  const inspect = () => {
    const view = log.getBoundingClientRect()
    const rows = [...log.querySelectorAll('[part=message]')].map(row => ({ row, box: row.getBoundingClientRect() }))
    const inView = rows.filter(({ box }) => box.bottom > view.top && box.top < view.bottom)
    const numbers = inView.flatMap(({ row }) => Number(/Message (\d+)\./.exec(row.textContent ?? '')?.[1]) || [])
    for (const number of numbers) seen.add(number)
    painted.mostRows = Math.max(painted.mostRows, rows.length)
    painted.inOrder &&= numbers.every((number, index) => number === (numbers[0] ?? 0) + index)
    return new Map(inView.map(({ row, box }) => [row, box.top]))
  }
  let before = inspect()
  while (stepPx > 0 || !seen.has(1)) {
    log.scrollTop += stepPx
    await new Promise(requestAnimationFrame)
    const now = inspect()
    const moves = [...now].flatMap(([row, top]) => (before.has(row) ? top - (before.get(row) ?? 0) : []))
    // Near the end, the transcript scrolls to the end by itself.
    if (log.scrollHeight - log.scrollTop - log.clientHeight < 1) break
    painted.farthestPx = Math.max(painted.farthestPx, ...moves.map(Math.abs))
    painted.apartPx = Math.max(painted.apartPx, Math.max(...moves) - Math.min(...moves))
    before = now
  }
  return { ...painted, numbers: seen.size }
}

test('scrolling a long conversation to its beginning and back shows every message in order without jumps, at most 120 mounted', async ({
  page,
  fakeSite,
  chat,
}) => {
  const { token, messages } = fakeSite.contact('Ada Lovelace', count - 1)
  fakeSite.platform.say(messages, { text: `Message ${count}. https://acme.example/` })
  await page.goto(fakeSite.url())
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  const jump = chat.panel.locator('.jump')
  await jump.click()
  await expect(jump).toHaveCount(0)
  await chat.transcript.getByRole('link').focus()
  for (const px of [-stepPx, stepPx]) {
    const painted = await chat.transcript.evaluate(scrollThrough, px)
    // The element that had the focus was removed, and the focus moved to the transcript.
    await expect(chat.transcript).toBeFocused()
    expect(painted).toMatchObject({ numbers: count, inOrder: true })
    expect(painted.mostRows).toBeGreaterThan(100)
    expect(painted.mostRows).toBeLessThanOrEqual(120)
    // Rows that stay in view move together, and no further than the scroll step.
    expect(painted.apartPx).toBeLessThan(1)
    expect(painted.farthestPx).toBeLessThan(stepPx + 1)
  }
  await expect(jump).toHaveCount(0)
})
