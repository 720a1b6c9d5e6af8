import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../environment/clock.ts'
import { createTitleBadge } from './titleBadge.ts'

const timers = new Set<() => void>()
let nowMs = 0
const clock = {
  now: () => nowMs,
  random: () => 0.5,
  setTimeout: (fn: () => void) => {
    timers.add(fn)
    return () => void timers.delete(fn)
  },
} satisfies Clock

let badges: ReturnType<typeof createTitleBadge>[]
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

/** Waits until observers have run and the title is stable. */
async function settle() {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(done => setTimeout(done))
    nowMs += 1000
    const due = [...timers]
    timers.clear()
    for (const fn of due) fn()
  }
}

/** A script of the page that rewrites the title on every change, and counts its writes. */
function rewriteTitle(change: (title: string) => string) {
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

const addStar = (title: string) => (title.startsWith('★ ') ? title : `★ ${title}`)

describe('createTitleBadge', () => {
  test('shows, updates and removes the number before the title', () => {
    const badge = createBadge()
    badge.show(2, 'en')
    expect(document.title).toBe('(2) Shop')
    badge.show(3, 'en')
    expect(document.title).toBe('(3) Shop')
    badge.show(0, 'en')
    expect(document.title).toBe('Shop')
    badge.show(1, 'en')
    badge.end()
    expect(document.title).toBe('Shop')
  })

  test('reappears each time a single-page app changes the title', async () => {
    const badge = createBadge()
    badge.show(2, 'en')
    for (const title of ['Basket – Shop', 'Shop', 'Checkout', 'Checkout (2) – Shop']) {
      document.title = title
      await settle()
      expect(document.title).toBe(`(2) ${title}`)
    }
    badge.end()
    expect(document.title).toBe('Checkout (2) – Shop')
  })

  test('reappears when the page has replaced its title element', async () => {
    const badge = createBadge()
    badge.show(2, 'en')
    document.querySelector('title')?.remove()
    await settle()
    expect(document.querySelector('title')).toBe(null)
    const element = document.createElement('title')
    element.textContent = 'Basket'
    document.head.append(element)
    await settle()
    expect(document.title).toBe('(2) Basket')
  })

  test('waits until the page has stopped changing its title', async () => {
    createBadge().show(2, 'en')
    document.title = 'Basket'
    await Promise.resolve()
    document.title = 'Basket – Shop'
    expect(document.title).toBe('Basket – Shop')
    await settle()
    expect(document.title).toBe('(2) Basket – Shop')
  })

  test('changes and disappears beside a prefix that a script of the page always adds', async () => {
    const script = rewriteTitle(addStar)
    const badge = createBadge()
    for (const count of [2, 3, 0]) {
      badge.show(count, 'en')
      await settle()
      expect(document.title).toBe(count ? `★ (${count}) Shop` : '★ Shop')
    }
    expect([script.writes, timers.size]).toEqual([1, 0])
  })

  test('is not put back for ever if a script of the page always restores the title', async () => {
    const script = rewriteTitle(() => 'Shop')
    const badge = createBadge()
    badge.show(1, 'en')
    await settle()
    expect([document.title, script.writes]).toEqual(['Shop', 2])
    badge.show(2, 'en')
    await settle()
    expect([document.title, script.writes]).toEqual(['Shop', 4])
  })

  test('is the whole title if the page has none', async () => {
    document.title = ''
    const badge = createBadge()
    badge.show(2, 'en')
    await settle()
    expect(document.title).toBe('(2)')
    badge.show(3, 'en')
    expect(document.title).toBe('(3)')
    badge.end()
    expect(document.title).toBe('')
  })
})
