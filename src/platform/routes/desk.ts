import type { Context } from 'hono'
import type { Desk } from '../domain/desk.ts'
import type { DeskPersons } from '../domain/deskPersons.ts'
import type { Handlers } from './handler.ts'

/** The desk's endpoints for conversations, except files and the event stream. */
export const deskHandlers = (desk: Desk, persons: DeskPersons) =>
  ({
    listDeskConversations: c => desk.list(c.get('member'), c.get('query')),
    countDeskConversations: async c => ({ data: await desk.count(c.get('member')) }),
    retrieveNumbers: async c => ({ data: await desk.numbers(c.get('member'), c.get('query')) }),
    openConversation: async c => ({ data: await desk.open(c.get('member'), idOf(c)) }),
    listConversationChanges: async c => ({ data: await desk.listChanges(c.get('member'), idOf(c), c.get('query')) }),
    listEarlierMessages: async c => ({ data: await desk.listEarlier(c.get('member'), idOf(c), c.get('query')) }),
    reply: async c => ({ data: await desk.reply(c.get('member'), idOf(c), c.get('body')) }),
    addNote: async c => ({ data: await desk.addNote(c.get('member'), idOf(c), c.get('body')) }),
    claim: async c => ({ data: await desk.claim(c.get('member'), idOf(c), c.get('body')) }),
    handBack: async c => ({ data: await desk.changeState(c.get('member'), idOf(c), 'handed_back') }),
    close: async c => ({ data: await desk.changeState(c.get('member'), idOf(c), 'closed', c.get('body').knownSeq) }),
    reopen: async c => ({ data: await desk.changeState(c.get('member'), idOf(c), 'reopened') }),
    signOutEverywhere: c => persons.signOutEverywhere(c.get('member'), idOf(c)),
    exportPerson: c => persons.export(c.get('member'), idOf(c)),
    erasePerson: c => persons.erase(c.get('member'), idOf(c)),
    blockPerson: c => persons.block(c.get('member'), idOf(c)),
    keepDraft: c => desk.keepDraft(c.get('member'), idOf(c), c.get('body')),
    markSeen: c => desk.markSeen(c.get('member'), idOf(c), c.get('body')),
    removeMessage: c => desk.removeMessage(c.get('member'), idOf(c), c.req.param('messageId') ?? ''),
  }) satisfies Partial<Handlers>

const idOf = (c: Context): string => c.req.param('conversationId') ?? ''
