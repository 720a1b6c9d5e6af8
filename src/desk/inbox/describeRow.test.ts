import { describe, expect, it } from 'vitest'
import type { DeskConversation } from '../../contract/desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { conversation, message, minutesAgo, now } from '../testing/deskFixtures.ts'
import { describeRow } from './describeRow.ts'

const describeIt = (values: Partial<DeskConversation>) =>
  describeRow(conversation('a', values), {
    strings: en,
    format: createFormat('en', en),
    me: { id: 'nora', name: 'Nora' },
    now,
  })

describe('a row', () => {
  it('is read aloud with the name, the wait and the unread messages', () => {
    const { label } = describeIt({
      contact: { id: 'c', name: 'Ada Lovelace' },
      state: 'waiting',
      waitingSince: minutesAgo(4),
      unseen: 2,
    })
    expect(label).toBe('Ada Lovelace, waiting 4 minutes, 2 unread, Hello')
  })

  it.each([
    ['visitor', undefined, 'Hello'],
    ['bot', undefined, 'Bot: Hello'],
    ['agent', { sender: { name: 'Nora' }, memberId: 'nora' }, 'You: Hello'],
    ['agent', { sender: { name: 'Nora' }, memberId: 'another' }, 'Nora: Hello'],
    ['agent', undefined, 'Team: Hello'],
  ] as const)('says who wrote last: %s %o', (author, more, preview) => {
    expect(describeIt({ lastMessage: message({ author, ...more }) }).preview).toBe(preview)
  })

  it('shows no marks of Markdown, and nothing of a removed message', () => {
    expect(describeIt({ lastMessage: message({ text: '**Hi**  you', format: 'markdown' }) }).preview).toBe('Hi you')
    expect(describeIt({ lastMessage: message({ text: '', removedAt: minutesAgo(1) }) }).preview).toBe('Message removed')
  })

  it('shows the line that a search has found in place of the last message', () => {
    const excerpt = { before: 'my ', match: 'order', after: ' 81' }
    const context = { strings: en, format: createFormat('en', en), me: { id: 'nora', name: 'Nora' }, now, excerpt }
    expect(describeRow(conversation('a'), context)).toMatchObject({
      preview: 'my order 81',
      label: 'Guest, my order 81',
    })
  })

  it('says how long somebody has waited, and after ten minutes that it is too long', () => {
    const wait = (minutes: number, pausedUntil: string | null = minutesAgo(-30)) =>
      describeIt({ state: 'waiting', waitingSince: minutesAgo(minutes), pausedUntil })
    expect(wait(4)).toMatchObject({ state: 'Asked for a person · 4 min', isOverdue: false })
    expect(wait(4, null)).toMatchObject({ state: 'Waiting · 4 min', isOverdue: false })
    expect(wait(10)).toMatchObject({ state: 'Overdue · waiting 10 min', isOverdue: true })
  })

  it('names another owner, but not the member itself', () => {
    expect(describeIt({ state: 'open', assignee: { id: 'otto', name: 'Otto' } }).state).toBe('Otto')
    expect(describeIt({ state: 'open', assignee: { id: 'nora', name: 'Nora' } }).state).toBe(null)
  })
})
