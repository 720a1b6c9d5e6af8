import { describe, expect, it } from 'vitest'
import { type ConversationStatus, isPaused, nextStatus, type StatusChange } from './conversationStatus.ts'

const [before, at, after] = ['2030-01-01T09:00', '2030-01-01T10:00', '2030-01-01T11:00']
const nobody = { assigneeId: null, waitingSince: null, pausedUntil: null }

const statuses = {
  bot: { ...nobody, state: 'bot' },
  closed: { ...nobody, state: 'closed' },
  'open, Nora': { ...nobody, state: 'open', assigneeId: 'Nora' },
  'open, Omar': { ...nobody, state: 'open', assigneeId: 'Omar' },
  'open, the server': { ...nobody, state: 'open', pausedUntil: after },
  'open, pause over': { ...nobody, state: 'open', pausedUntil: before },
  'handed over': { ...nobody, state: 'waiting', waitingSince: before, pausedUntil: after },
  'handed over now': { ...nobody, state: 'waiting', waitingSince: at, pausedUntil: after },
  'handover over': { ...nobody, state: 'waiting', waitingSince: before, pausedUntil: before },
  waiting: { ...nobody, state: 'waiting', waitingSince: before },
  'waiting now': { ...nobody, state: 'waiting', waitingSince: at },
} satisfies Record<string, ConversationStatus>
type Name = keyof typeof statuses

const changes = {
  'visitor writes': { type: 'visitor_wrote' },
  'handed over': { type: 'handed_over', until: after },
  'Nora claims': { type: 'claimed', memberId: 'Nora' },
  'server writes': { type: 'server_wrote', until: after },
  'handed back, unanswered': { type: 'handed_back', isAnswered: false },
  'handed back, answered': { type: 'handed_back', isAnswered: true },
  closed: { type: 'closed' },
  reopened: { type: 'reopened' },
  released: { type: 'released', since: before, until: after },
} satisfies Record<string, StatusChange>

describe('nextStatus', () => {
  it.each<[from: Name, change: keyof typeof changes, withResponder: Name, without: Name]>([
    ['bot', 'visitor writes', 'bot', 'waiting now'],
    ['closed', 'visitor writes', 'bot', 'waiting now'],
    ['waiting', 'visitor writes', 'waiting', 'waiting'],
    ['handed over', 'visitor writes', 'handed over', 'handed over'],
    ['handover over', 'visitor writes', 'handover over', 'handover over'],
    ['open, Nora', 'visitor writes', 'open, Nora', 'open, Nora'],
    ['open, the server', 'visitor writes', 'open, the server', 'open, the server'],
    ['open, pause over', 'visitor writes', 'bot', 'waiting now'],
    ['bot', 'handed over', 'handed over now', 'handed over now'],
    ['waiting', 'handed over', 'handed over', 'handed over'],
    ['bot', 'Nora claims', 'open, Nora', 'open, Nora'],
    ['handed over', 'Nora claims', 'open, Nora', 'open, Nora'],
    ['open, Omar', 'Nora claims', 'open, Nora', 'open, Nora'],
    ['open, the server', 'Nora claims', 'open, Nora', 'open, Nora'],
    ['closed', 'Nora claims', 'open, Nora', 'open, Nora'],
    ['bot', 'server writes', 'open, the server', 'open, the server'],
    ['handed over', 'server writes', 'open, the server', 'open, the server'],
    ['open, Nora', 'server writes', 'open, Nora', 'open, Nora'],
    ['open, Nora', 'handed back, unanswered', 'bot', 'waiting now'],
    ['open, Nora', 'handed back, answered', 'bot', 'closed'],
    ['handover over', 'handed back, unanswered', 'bot', 'waiting'],
    ['open, pause over', 'handed back, answered', 'bot', 'closed'],
    ['open, Nora', 'closed', 'closed', 'closed'],
    ['handed over', 'closed', 'closed', 'closed'],
    ['closed', 'reopened', 'bot', 'waiting now'],
    ['open, Nora', 'released', 'handed over', 'waiting'],
  ])('%s: %s → %s, or without a responder → %s', (from, change, withResponder, without) => {
    const next = (hasResponder: boolean) => nextStatus(statuses[from], changes[change], { at, hasResponder })
    expect([next(true), next(false)]).toEqual([statuses[withResponder], statuses[without]])
  })
})

describe('isPaused', () => {
  it('silences the responder while a person answers or is waited for, until a pause is over', () => {
    const names = Object.keys(statuses) as Name[]
    expect(names.filter(name => !isPaused(statuses[name], at))).toEqual([
      'bot',
      'closed',
      'open, pause over',
      'handover over',
    ])
  })
})
