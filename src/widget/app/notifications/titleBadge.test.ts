import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../environment.ts'
import { createTitleBadge, type TitleBadge } from './titleBadge.ts'

const timers = new Set<() => void>()
const clock = {
  now: () => 0,
  random: () => 0.5,
  setTimeout: (fn: () => void) => {
    timers.add(fn)
    return () => void timers.delete(fn)
  },
} satisfies Clock

let badges: TitleBadge[]
let scripts: MutationObserver[]

beforeEach(() => {
  document.title = 'Shop'
  badges = []
  scripts = []
})
afterEach(() => {
  for (const script of scripts) script.disconnect()
  for (const badge of badges) badge.end()
  timers.clear()
})

const createBadge = () => {
  const badge = createTitleBadge(clock)
  badges.push(badge)
  return badge
}

/** Lets observers hear of what has changed, and the title settle. */
async function settle() {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(done => setTimeout(done))
    const due = [...timers]
    timers.clear()
    for (const fn of due) fn()
  }
}

/** A script of the page that changes the title again whenever it has changed; counts what it does. */
function keepTitle(change: (title: string) => string) {
  const script = { writes: 0 }
  const observer = new MutationObserver(() => {
    const next = change(document.title)
    if (next === document.title) return
    script.writes++
    document.title = next
  })
  observer.observe(document.head, { subtree: true, childList: true, characterData: true })
  scripts.push(observer)
  return script
}

const keepStar = (title: string) => (title.startsWith('★ ') ? title : `★ ${title}`)

describe('createTitleBadge', () => {
  test('shows the number before the title, follows it, and takes it away', () => {
    const badge = createBadge()
    badge.show(2)
    expect(document.title).toBe('(2) Shop')
    badge.show(3)
    expect(document.title).toBe('(3) Shop')
    badge.show(0)
    expect(document.title).toBe('Shop')
    badge.show(1)
    badge.end()
    expect(document.title).toBe('Shop')
  })

  test('comes back when a page without reloads has gone on to another title, as often as it does', async () => {
    const badge = createBadge()
    badge.show(2)
    for (const title of ['Basket – Shop', 'Shop', 'Checkout', 'Checkout (2) – Shop']) {
      document.title = title
      await settle()
      expect(document.title).toBe(`(2) ${title}`)
    }
    badge.end()
    expect(document.title).toBe('Checkout (2) – Shop')
  })

  test('comes back when the page has replaced its title element', async () => {
    const badge = createBadge()
    badge.show(2)
    document.querySelector('title')?.remove()
    await settle()
    expect(document.querySelector('title')).toBe(null)
    const element = document.createElement('title')
    element.textContent = 'Basket'
    document.head.append(element)
    await settle()
    expect(document.title).toBe('(2) Basket')
  })

  test('waits until the page leaves its title alone', async () => {
    createBadge().show(2)
    document.title = 'Basket'
    await Promise.resolve()
    document.title = 'Basket – Shop'
    expect(document.title).toBe('Basket – Shop')
    await settle()
    expect(document.title).toBe('(2) Basket – Shop')
  })

  test('stands behind a prefix that a script of the page keeps, and leaves nothing there', async () => {
    const script = keepTitle(keepStar)
    const badge = createBadge()
    badge.show(2)
    await settle()
    expect(document.title).toBe('★ (2) Shop')
    for (const count of [3, 0, 1]) {
      badge.show(count)
      await settle()
      expect(document.title).toBe(count ? `★ (${count}) Shop` : '★ Shop')
    }
    expect(script.writes).toBe(1)
    badge.end()
    expect(document.title).toBe('★ Shop')
  })

  test('gives way to a script of the page that takes it off', async () => {
    const script = keepTitle(() => 'Shop')
    const badge = createBadge()
    badge.show(2)
    await settle()
    await settle()
    expect(document.title).toBe('Shop')
    // Once it is put back, in case the page had changed its title by chance.
    expect(script.writes).toBe(2)
    badge.show(3)
    await settle()
    expect(script.writes).toBe(4)
    expect(timers.size).toBe(0)
  })

  test('stands beside the badge of a second widget, whichever of the two changes', async () => {
    const first = createBadge()
    const second = createBadge()
    first.show(2)
    second.show(1)
    await settle()
    expect(document.title).toBe('(1) (2) Shop')
    first.show(3)
    await settle()
    expect(document.title).toBe('(1) (3) Shop')
    second.show(4)
    await settle()
    expect(document.title).toBe('(4) (3) Shop')
    document.title = 'Basket'
    await settle()
    expect(['(4) (3) Basket', '(3) (4) Basket']).toContain(document.title)
    first.end()
    await settle()
    expect(document.title).toBe('(4) Basket')
    second.end()
    expect(document.title).toBe('Basket')
  })

  test('is the whole title where that of the page is empty', async () => {
    document.title = ''
    const badge = createBadge()
    badge.show(2)
    await settle()
    expect(document.title).toBe('(2)')
    badge.show(3)
    expect(document.title).toBe('(3)')
    badge.end()
    expect(document.title).toBe('')
  })
})
