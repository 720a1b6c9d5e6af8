import { type Signal, signal } from '@preact/signals'
import type {
  DeskConversation,
  DeskEvent,
  DeskMessage,
  MemberSummary,
  Note,
  OpenedConversation,
  Person,
} from '../../../contract/desk.ts'
import type { MessageChange } from '../../../contract/index.ts'
import { ApiError } from '../../ApiError.ts'
import type { Api } from '../../api.ts'
import type { ConnectionStatus } from '../../events.ts'
import { createConversations } from '../conversations.ts'
import type { Thread, ThreadDeps } from '../thread.ts'

/** The signed-in member, and another one. */
export const olga: MemberSummary = { id: 'm1', name: 'Olga' }
export const nora: MemberSummary = { id: 'm2', name: 'Nora' }

const at = (minute: number) => new Date(2026, 2, 14, 9, minute).toISOString()

export const message = (
  seq: number,
  author: DeskMessage['author'],
  text: string,
  more: Partial<DeskMessage> = {},
): DeskMessage => ({
  id: `message-${seq}`,
  seq,
  author,
  text,
  format: 'plain',
  createdAt: at(seq),
  ...more,
})

export const note = (number: number, afterSeq: number, text: string): Note => ({
  id: `note-${number}`,
  number,
  afterSeq,
  author: nora,
  text,
  createdAt: at(afterSeq),
})

interface Hold {
  count: number
  /** Answers the first request, with this or with what it would get now. */
  release(data?: object): void
}

/** A platform with one conversation, which answers as the real one does. */
export function createFakeDesk(
  messages: DeskMessage[] = [message(1, 'visitor', 'Hello'), message(2, 'visitor', 'Anyone?')],
  status: Signal<ConnectionStatus> = signal<ConnectionStatus>('live'),
) {
  const requests: { path: string; body: unknown }[] = []
  const listeners = new Set<(event: DeskEvent) => void>()
  const holds = new Map<string, (respond: () => unknown) => Promise<unknown>>()
  const lostAnswers = new Set<string>()
  const changes: MessageChange[] = []
  let ids = 0

  const fake = {
    conversation: {
      id: 'c1',
      botId: 'b1',
      version: 1,
      state: 'waiting',
      assignee: null,
      contact: { id: 'k1', name: 'Mia' },
      waitingSince: at(1),
      pausedUntil: null,
      readSeq: 0,
      seenSeq: 0,
      unseen: 0,
      lastMessage: messages.at(-1) as DeskMessage,
      lastMessageAt: at(1),
      createdAt: at(0),
    } as DeskConversation,
    messages,
    notes: [] as Note[],
    drafts: { reply: '', note: '', knownSeq: 0 },
    person: {
      ...{ contact: null, signedInSince: null, isBlocked: false, verified: {}, claimed: {}, locale: null },
      email: null,
      ratings: { up: 0, down: 0, last: null },
    } as Person,
    /** The page before the opened one. */
    earlier: [] as DeskMessage[],
    /** The next requests to paths with this end reject with these. */
    failures: [] as { end: string; error: ApiError }[],
    beforeReply: () => {},
    emit(event: DeskEvent) {
      for (const listener of listeners) listener(event)
    },
    update(more: Partial<DeskConversation> = {}) {
      fake.conversation = { ...fake.conversation, ...more, version: fake.conversation.version + 1 }
      fake.emit({ event: 'conversation', data: fake.conversation })
    },
    store(added: DeskMessage) {
      messages.push(added)
    },
    add(added: DeskMessage, more: Partial<DeskConversation> = {}) {
      fake.store(added)
      fake.update({ lastMessage: added, ...more })
    },
    change(changed: DeskMessage) {
      changes.push({ revision: changes.length + 1, message: changed })
      fake.update()
    },
    /** The bodies of the requests to paths with this end. */
    calls: (end: string) => requests.filter(({ path }) => path.endsWith(end)).map(({ body }) => body),
    /** Holds the first request to paths with this end. */
    hold(end: string): Hold {
      let release: Hold['release'] = () => {}
      const hold: Hold = { count: 0, release: data => release(data) }
      holds.set(end, respond => {
        if (++hold.count > 1) return Promise.resolve(respond())
        return new Promise((resolve, reject) => {
          release = data => {
            try {
              resolve(data ? { data: { ...(respond() as { data: object }).data, ...data } } : respond())
            } catch (error) {
              reject(error)
            }
          }
        })
      })
      return hold
    },
    /** The next request to a path with this end is carried out, and its answer lost. */
    loseAnswer(end: string) {
      lostAnswers.add(end)
    },
    deps: {
      me: olga,
      events: {
        page: 'page',
        status,
        subscribe(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        emit: event => fake.emit(event),
      },
      createId: () => `id-${++ids}`,
    } as Omit<ThreadDeps, 'api'>,
    /** Opens the conversation, and resolves when it is loaded. */
    async open({ beforeAnswer = () => {} } = {}): Promise<Thread> {
      const conversations = createConversations({ ...fake.deps, api })
      conversations.show('c1')
      const state = () => conversations.current.value?.state.value ?? { kind: 'missing' }
      beforeAnswer()
      for (let turn = 0; turn < 50 && state().kind === 'loading'; turn++) await Promise.resolve()
      const opened = state()
      if (opened.kind !== 'ready') throw new Error(`The conversation is ${opened.kind}.`)
      return opened.thread
    },
  }

  const refuse = (code: 'claimed_by_other' | 'answered_meanwhile') => new ApiError(409, code, '')

  function answer(path: string, query: Record<string, number> = {}, body: Record<string, never> = {}): unknown {
    const { conversation } = fake
    if (path.endsWith('/changes')) {
      const { after = 0, revision = 0, notes = 0 } = query
      return {
        data: {
          conversation,
          messages: messages.filter(({ seq }) => seq > after),
          changes: changes.filter(change => change.revision > revision),
          notes: fake.notes.filter(({ number }) => number > notes),
          person: fake.person,
        },
      }
    }
    if (path.endsWith('/earlier')) return { data: { messages: fake.earlier, notes: [] } }
    if (path.endsWith('/messages')) {
      const known = messages.find(({ id }) => id === body['id'])
      if (known) return { data: known }
      if (conversation.assignee && conversation.assignee.id !== olga.id) throw refuse('claimed_by_other')
      const isAnswered = messages.some(
        ({ seq, author, memberId }) => author === 'agent' && memberId !== olga.id && seq > (body['knownSeq'] ?? 0),
      )
      if (isAnswered) throw refuse('answered_meanwhile')
      fake.beforeReply()
      const sent = message((messages.at(-1)?.seq ?? 0) + 1, 'agent', body['text'] ?? '', {
        id: body['id'] ?? '',
        sender: { name: olga.name },
        memberId: olga.id,
      })
      fake.add(sent, { state: 'open', assignee: olga })
      return { data: sent }
    }
    if (path.endsWith('/notes')) {
      fake.notes.push({ ...note(fake.notes.length + 1, messages.length, body['text'] ?? ''), id: body['id'] ?? '' })
      fake.update()
      return { data: fake.notes.at(-1) }
    }
    if (path.endsWith('/claim')) {
      if ((conversation.assignee?.id ?? null) !== body['from']) throw refuse('claimed_by_other')
      fake.update({ assignee: olga, state: 'open' })
      return { data: fake.conversation }
    }
    if (path.endsWith('/close')) {
      const isKnown = messages.every(({ seq, author }) => author !== 'visitor' || seq <= (body['knownSeq'] ?? 0))
      if (isKnown) fake.update({ assignee: null, state: 'closed' })
      return { data: fake.conversation }
    }
    if (path.includes('/attachments/')) return { data: { id: path.split('/').at(-1), type: 'text/plain', size: 7 } }
    if (path === '/conversations/c1') {
      const opened: OpenedConversation = {
        conversation,
        messages: [...messages],
        revision: changes.length,
        notes: [...fake.notes],
        person: fake.person,
        drafts: fake.drafts,
      }
      return { data: opened }
    }
    return undefined
  }

  async function request(path: string, query: object | undefined, body: object | undefined): Promise<unknown> {
    requests.push({ path, body })
    const end = `/${path.split('/').at(-1)}`
    const failure = fake.failures.findIndex(failure => failure.end === end)
    if (failure >= 0) throw fake.failures.splice(failure, 1)[0]?.error
    const respond = () => answer(path, query as Record<string, number>, body as Record<string, never>)
    const response = await (holds.get(end)?.(respond) ?? respond())
    if (lostAnswers.delete(end)) throw new ApiError(0, 'unreachable', '')
    return response
  }

  const api = {
    get: (path: string, query?: object) => request(path, query, undefined),
    post: (path: string, body?: object) => request(path, undefined, body),
    put: (path: string, body?: object) => request(path, undefined, body),
    delete: (path: string) => request(path, undefined, undefined),
    upload: (path: string) => request(path, undefined, undefined),
  } as Partial<Api> as Api
  return Object.assign(fake, { api })
}
