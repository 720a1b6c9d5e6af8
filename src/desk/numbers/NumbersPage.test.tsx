import { cleanup, fireEvent, render, screen, within } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Numbers } from '../../contract/deskNumbers.ts'
import { DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { NumbersPage } from './NumbersPage.tsx'

afterEach(cleanup)

const none = { conversations: 0, byBot: 0, handedOver: 0, up: 0, down: 0, firstAnswer: null }
const monday = { conversations: 4, byBot: 2, handedOver: 1, up: 1, down: 0, firstAnswer: { median: 300, p90: 7200 } }
const numbers: Numbers = {
  waiting: 3,
  total: monday,
  days: [
    { date: '2026-03-02', ...monday },
    { date: '2026-03-03', ...none },
  ],
  unanswered: [
    {
      conversationId: 'c1',
      contactName: null,
      question: '<b>Where</b>?',
      askedAt: '2026-03-02T10:00:00.000Z',
      reason: 'rated_down',
    },
  ],
}

function setUp(get: () => Promise<{ data: Numbers }>) {
  const api = { get: vi.fn(get) }
  const go = vi.fn()
  const bots = [
    { id: 'b1', name: 'Acme' },
    { id: 'b2', name: 'Other' },
  ]
  const desk = {
    ...{ api, strings: en, format: createFormat('en', en) },
    ...{ router: { go }, now: { value: Date.parse('2026-03-03T12:00:00Z') }, current: { bots } },
  } as unknown as Desk
  const show = (days: number) => (
    <DeskContext.Provider value={desk}>
      <NumbersPage days={days} bot="" />
    </DeskContext.Provider>
  )
  const { rerender } = render(show(7))
  return { api, go, showDays: (days: number) => rerender(show(days)) }
}

const rowsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map(row => [...row.children].map(({ textContent }) => textContent).join(' '))

describe('NumbersPage', () => {
  test('shows what the bars show as a table too, with the latest day first', async () => {
    setUp(async () => ({ data: numbers }))
    const [perDay, firstAnswer] = await screen.findAllByRole('table')
    expect(rowsOf(perDay as HTMLElement)).toEqual([
      'Day Conversations By the bot alone Asked for a person Others',
      'Mar 3 0 0 0 0',
      'Mar 2 4 2 1 1',
    ])
    expect(rowsOf(firstAnswer as HTMLElement).slice(1)).toEqual(['Mar 3 – –', 'Mar 2 5 min 2 hr'])
    const image = screen.getByRole('img', { name: 'Conversations a day, Mar 2 to Mar 3. Most: 4 on Mar 2.' })
    const heights = [...image.querySelectorAll('rect')].map(bar => bar.getAttribute('height'))
    expect(heights).toEqual(['50', '25', '25', '0', '0', '0'])
  })

  test('links to the conversation of a question, which is shown as text', async () => {
    setUp(async () => ({ data: numbers }))
    const link = await screen.findByRole('link', { name: '<b>Where</b>?' })
    expect(link.getAttribute('href')).toBe('/desk/c/c1?view=all')
  })

  test('says that there was nothing, without empty plots', async () => {
    setUp(async () => ({ data: { ...numbers, total: none, days: [{ date: '2026-03-03', ...none }], unanswered: [] } }))
    await screen.findByText(en.numbers.empty)
    expect(screen.queryByRole('table')).toBeNull()
  })

  test('asks again after a failure', async () => {
    const { api } = setUp(async () => ({ data: numbers }))
    await screen.findAllByRole('table')
    cleanup()
    const failing = setUp(() => Promise.reject(new Error('down')))
    await screen.findByRole('alert')
    failing.api.get.mockImplementation(api.get.getMockImplementation() as never)
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await screen.findAllByRole('table')
  })

  test('ignores the answer for a period that is not shown any more', async () => {
    const answers: ((answer: { data: Numbers }) => void)[] = []
    const { showDays, go } = setUp(() => new Promise(resolve => void answers.push(resolve)))
    showDays(30)
    await vi.waitFor(() => expect(answers).toHaveLength(2))
    answers[1]?.({ data: { ...numbers, waiting: 30 } })
    await screen.findByText('30')
    answers[0]?.({ data: { ...numbers, waiting: 77 } })
    await Promise.resolve()
    expect(screen.queryByText('77')).toBeNull()
    fireEvent.change(screen.getByRole('combobox', { name: 'Bot' }), { target: { value: 'b2' } })
    expect(go).toHaveBeenCalledWith('/desk/numbers?bot=b2&days=30')
  })
})
