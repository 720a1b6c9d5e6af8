import type { DeskConversation, DeskMessage } from '../../contract/desk.ts'

export const now = Date.parse('2026-03-04T12:00:00Z')
/** The time so many minutes before `now`. */
export const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()

export const message = (values: Partial<DeskMessage> = {}): DeskMessage => ({
  id: '0197a1b2-c3d4-4e5f-8a6b-9c0d1e2f3a4b',
  seq: 1,
  author: 'visitor',
  text: 'Hello',
  format: 'plain',
  createdAt: minutesAgo(5),
  ...values,
})

/** A conversation of a guest that the bot handles. `at`: how many minutes ago its last message was sent. */
export function conversation(
  id: string,
  { at = 5, ...values }: Partial<DeskConversation> & { at?: number } = {},
): DeskConversation {
  return {
    id,
    botId: 'bot',
    version: 1,
    state: 'bot',
    assignee: null,
    contact: null,
    waitingSince: null,
    pausedUntil: null,
    readSeq: 0,
    seenSeq: 0,
    unseen: 0,
    lastMessage: message({ createdAt: minutesAgo(at) }),
    lastMessageAt: minutesAgo(at),
    createdAt: minutesAgo(60),
    ...values,
  }
}
