import {
  type DeskConversation,
  type DeskCounts,
  type DeskView,
  maxDeskCount,
  type OpenedConversation,
  type Person,
} from '../../../contract/desk.ts'
import { deskViews } from '../../../contract/deskLimits.ts'
import type { Attributes, Contact, MessageContext, Rating } from '../../../contract/index.ts'
import { type Database, type Flag, parseJson, type Queries } from '../database.ts'
import type { Actor, BotScope, DeskListFilter, DeskStore, Handover, ListPlace } from '../store.ts'
import { afterAllTimes, type ContactColumns, hasResponderSql, openSessionSql, toContactSummary } from './common.ts'
import { contactColumns } from './contacts.ts'
import { nextStatus, statusColumns } from './conversationStatus.ts'
import { findMessages, listMessagesChangedAfter } from './conversations.ts'
import type { AnsweredConversation } from './handovers.ts'
import { handoverEnd } from './hours.ts'
import {
  changeStatus,
  type DeskMessageRecord,
  deskMessageColumns,
  type MessageRecord,
  messageColumnsOf,
  toMessage,
  toMessageWithContext,
  toStorable,
  withMember,
} from './messages.ts'
import { eventNote, findNotes } from './notes.ts'
import { appendByAgent, type FoundConversation, findSent, lock, visitorWaitsSql } from './teamConversations.ts'

/** SQL for the conversations that need a person, or have one, by who that is. */
const assigneeSql = (member: string): string => `coalesce(assignee_id, '') = ${member} AND state IN ('waiting', 'open')`

/** Makes the placeholder of a value. */
type Placeholder = (value: unknown) => string

/** The condition that a list shows a conversation. No other table of the query has its columns but `bot_id`. */
export function filterSql({ view, memberId, state, owner, since }: DeskListFilter, placeholder: Placeholder): string {
  const conditions = [viewSql(view, () => placeholder(memberId))]
  if (state !== undefined) conditions.push(`state = ${placeholder(state)}`)
  if (owner !== undefined) conditions.push(assigneeSql(placeholder(owner)))
  if (since !== undefined) conditions.push(`last_message_at >= ${placeholder(since)}`)
  return conditions.join(' AND ')
}

/** SQL for the conversations of a view, as the indexes of `schema.ts` have it. `member` makes the placeholder of the member. */
function viewSql(view: DeskView, member: () => string): string {
  if (view === 'all') return 'true'
  if (view === 'mine') return assigneeSql(member())
  return view === 'unassigned' ? assigneeSql("''") : `state = '${view}'`
}

/** The most of each list in the changes of a conversation. */
const maxChanges = 100

/** How many of the last messages are looked at for what the visitor waits for and nobody has seen. */
const maxUnseen = 100

/** Selects what `toDeskConversation` takes of the conversations `v`. */
const selectConversations = `SELECT v.id AS "conversationId", v.bot_id AS "botId", ${statusColumns}, a.name AS "assigneeName",
    v.last_seq + v.read_seq + v.revision + v.desk_revision AS version, v.read_seq AS "readSeq", v.seen_seq AS "seenSeq",
    v.created_at AS "begunAt", v.last_message_at AS "lastMessageAt", c.id AS "contactId",
    c.name AS "contactName", ${messageColumnsOf('m')}, m.member_id AS "memberId", (
      SELECT count(*) FROM messages m WHERE m.conversation_id = v.id
        AND m.seq > greatest(v.seen_seq, v.last_seq - ${maxUnseen}) AND ${visitorWaitsSql} AND m.removed_at IS NULL
    ) AS unseen
  FROM conversations v JOIN messages m ON m.conversation_id = v.id AND m.seq = coalesce((
      SELECT seq FROM messages WHERE conversation_id = v.id AND event IS NULL ORDER BY seq DESC LIMIT 1), v.last_seq)
    LEFT JOIN contacts c ON c.id = v.contact_id LEFT JOIN members a ON a.id = v.assignee_id`

interface DeskRecord
  extends MessageRecord,
    Pick<DeskMessageRecord, 'memberId'>,
    ContactColumns,
    Omit<DeskConversation, 'id' | 'assignee' | 'contact' | 'lastMessage' | 'createdAt'> {
  conversationId: string
  begunAt: string
  assigneeId: string | null
  assigneeName: string | null
}

function toDeskConversation(record: DeskRecord): DeskConversation {
  const { assigneeId, assigneeName } = record
  return {
    id: record.conversationId,
    botId: record.botId,
    version: record.version,
    state: record.state,
    assignee: assigneeId === null ? null : { id: assigneeId, name: assigneeName ?? '' },
    contact: toContactSummary(record),
    waitingSince: record.waitingSince,
    pausedUntil: record.pausedUntil,
    readSeq: record.readSeq,
    seenSeq: record.seenSeq,
    unseen: record.unseen,
    lastMessage: withMember(toMessage(record), record),
    lastMessageAt: record.lastMessageAt,
    createdAt: record.begunAt,
  }
}

const toDeskMessage = (record: DeskMessageRecord) => withMember(toMessageWithContext(record), record)

export function desk(db: Database): Omit<DeskStore, 'searchConversations' | 'computeNumbers'> {
  return {
    listDeskConversations: (filter, { after, limit }) =>
      db.transact(
        async tx => {
          // Those that have waited longest come first, otherwise those with the latest message.
          const [column, order] = filter.view === 'waiting' ? ['waiting_since', 'ASC'] : ['last_message_at', 'DESC']
          const place = after ?? { at: order === 'ASC' ? '' : afterAllTimes, id: '' }
          const condition = (placeholder: Placeholder) => filterSql(filter, placeholder)
          const found = await findPlaces(tx, filter.botIds, { column, order, condition, place, limit })
          return readConversations(tx, found)
        },
        { isSnapshot: true },
      ),
    async listDeskCounts({ botIds, memberId }) {
      const counts = deskViews.map(
        view => `(SELECT count(*) FROM (SELECT id FROM conversations
           WHERE bot_id = ANY ($1) AND ${viewSql(view, () => '$2')} AND last_message_at IS NOT NULL LIMIT ${maxDeskCount}) AS found)
           AS "${view}"`,
      )
      const row = await db.one<DeskCounts>(`SELECT ${counts.join(', ')}`, [botIds, memberId])
      if (!row) throw new Error('A SELECT without FROM has one row')
      return row
    },
    async findDeskConversation(conversationId) {
      const row = await db.one<DeskRecord>(`${selectConversations} WHERE v.id = $1`, [conversationId])
      return row ? toDeskConversation(row) : null
    },
    listChangedDeskConversations: (botIds, since, limit) =>
      db.transact(
        async tx => {
          const place = { at: since, id: afterAllTimes }
          const list = { column: 'changed_at', order: 'ASC', condition: () => 'true', place, limit }
          const found = await findPlaces(tx, botIds, list)
          const conversations = await readConversations(tx, found)
          const changedAt = new Map(found.map(({ id, at }) => [id, at]))
          return conversations.map(conversation => ({
            conversation,
            changedAt: changedAt.get(conversation.id) ?? since,
          }))
        },
        { isSnapshot: true },
      ),

    async findPerson(conversationId, now) {
      const row = await db.one<PersonRecord>(
        `SELECT v.locale, v.email, v.email_confirmed_at IS NOT NULL AS "isEmailConfirmed", v.contact_id AS "contactId", (
           SELECT context FROM messages m WHERE m.conversation_id = v.id AND m.author = 'visitor' ORDER BY seq DESC LIMIT 1
         ) AS context, (
           SELECT min(created_at) FROM sessions WHERE contact_id = v.contact_id AND ${openSessionSql('$2')}
         ) AS "signedInSince", EXISTS (
           SELECT 1 FROM sessions WHERE conversation_id = v.id AND contact_id IS NULL AND end_reason = 'blocked'
         ) AS "isBlocked" FROM conversations v WHERE v.id = $1`,
        [conversationId, now],
      )
      if (!row) return null
      // A message has a revision since its first rating, and an index by it.
      const rated = await db.all<{ rating: Rating }>(
        `SELECT rating FROM messages WHERE conversation_id = $1 AND revision IS NOT NULL AND rating IS NOT NULL
         ORDER BY revision`,
        [conversationId],
      )
      const up = rated.filter(({ rating }) => rating === 'up').length
      const found = await db.one<Contact & { attributes: string | null }>(
        `SELECT ${contactColumns}, attributes FROM contacts WHERE id = $1`,
        [row.contactId],
      )
      const { attributes = null, ...contact } = found ?? {}
      return {
        contact: found ? (contact as Contact) : null,
        signedInSince: row.signedInSince,
        isBlocked: Boolean(row.isBlocked),
        verified: parseJson<Attributes>(attributes) ?? {},
        claimed: parseJson<MessageContext>(row.context)?.claimed ?? {},
        locale: row.locale,
        email: row.email === null ? null : { address: row.email, isConfirmed: Boolean(row.isEmailConfirmed) },
        ratings: { up, down: rated.length - up, last: rated.at(-1)?.rating ?? null },
      }
    },
    listNotes: (conversationId, { fromSeq, toSeq }) =>
      findNotes(db, conversationId, 'after_seq BETWEEN $2::bigint AND $3::bigint ORDER BY number', [fromSeq, toSeq]),
    listConversationChanges: (conversationId, { after, revision, notes }) =>
      db.transact(
        async tx => {
          const messages = await tx.all<DeskMessageRecord>(
            `SELECT ${deskMessageColumns} FROM messages
             WHERE conversation_id = $1 AND seq > $2::bigint ORDER BY seq LIMIT $3`,
            [conversationId, after, maxChanges],
          )
          return {
            messages: messages.map(toDeskMessage),
            changes: await listMessagesChangedAfter(tx, conversationId, revision, maxChanges),
            notes: await findNotes(tx, conversationId, 'number > $2::bigint ORDER BY number LIMIT $3', [
              notes,
              maxChanges,
            ]),
          }
        },
        { isSnapshot: true },
      ),
    listMessagesForDesk: (conversationId, page) =>
      db.transact(
        async tx => {
          const row = await tx.one<{ revision: number }>('SELECT revision FROM conversations WHERE id = $1', [
            conversationId,
          ])
          const messages = await findMessages(tx, conversationId, page)
          return { messages: messages.map(toDeskMessage), revision: row?.revision ?? 0 }
        },
        { isSnapshot: true },
      ),

    claimConversation: (scope, conversationId, actor, from, at) =>
      db.transact(async tx => {
        const found = (await lockMember(tx, scope, actor, at)) && (await lockFilled(tx, scope, conversationId))
        if (!found) return 'not_found'
        const { assigneeId } = found
        if (assigneeId === actor.id) return 'claimed'
        if (assigneeId !== null && assigneeId !== from) return 'claimed_by_other'
        await changeStatus(tx, conversationId, ...claim(found, actor, at))
        await tx.all('DELETE FROM turns WHERE conversation_id = $1', [conversationId])
        return 'claimed'
      }),
    appendReply: (scope, conversationId, actor, message, knownSeq) =>
      db.transact(async tx => {
        const seesBot = await lockMember(tx, scope, actor, message.createdAt)
        const found = seesBot && (await lock(tx, scope, { conversationId }))
        if (!found) return 'not_found'
        const earlier = await findSent(tx, conversationId, message)
        if (earlier) return earlier
        const isOwn = found.assigneeId === actor.id
        if (found.assigneeId !== null && !isOwn) return 'claimed_by_other'
        // The actor's own earlier reply may not have been confirmed yet.
        const other = await tx.one(
          `SELECT seq FROM messages WHERE conversation_id = $1 AND seq > $2::bigint AND author = 'agent'
             AND removed_at IS NULL AND member_id IS DISTINCT FROM $3 LIMIT 1`,
          [conversationId, knownSeq, actor.id],
        )
        if (other) return 'answered_meanwhile'
        const [status, { note }] = claim(found, actor, message.createdAt)
        const options = { status, memberId: actor.id, ...(!isOwn && { note }) }
        const stored = await appendByAgent(tx, conversationId, [message], options)
        return stored === 'file_missing' ? stored : { message: stored, repeated: false }
      }),
    appendNote: (scope, conversationId, author, { id, text, at }) =>
      db.transact(async tx => {
        const found = await lockFilled(tx, scope, conversationId)
        if (!found) return 'not_found'
        const findNote = async () => (await findNotes(tx, conversationId, 'id = $2', [id]))[0]
        const earlier = await findNote()
        if (earlier) return earlier.author.id === author.id && earlier.text === text ? earlier : 'reused'
        await changeStatus(tx, conversationId, found, { at, note: { id, author, text, createdAt: at } })
        return (await findNote()) ?? 'not_found'
      }),
    async markSeen({ botId }, conversationId, seq, at) {
      const moved = await db.write(
        `UPDATE conversations SET seen_seq = least($3::bigint, last_seq), desk_revision = desk_revision + 1, changed_at = $4
         WHERE id = $1 AND bot_id = $2 AND seen_seq < least($3::bigint, last_seq) RETURNING id`,
        [conversationId, botId, seq, at],
      )
      return moved.length > 0
    },
    keepDraft: (memberId, conversationId, draft) =>
      db.transact(async tx => {
        const { reply, note, knownSeq } = toStorable(draft)
        // Not if the conversation was emptied, or it or the member was deleted, meanwhile.
        await tx.all(
          `INSERT INTO drafts (member_id, conversation_id, reply, note, known_seq)
           SELECT a.id, v.id, coalesce($3, ''), coalesce($4, ''), coalesce($5::bigint, 0) FROM members a, conversations v
           WHERE a.id = $1 AND v.id = $2 AND v.last_message_at IS NOT NULL FOR KEY SHARE OF a FOR KEY SHARE OF v
           ON CONFLICT (member_id, conversation_id) DO UPDATE
             SET reply = coalesce($3, drafts.reply), note = coalesce($4, drafts.note),
               known_seq = coalesce($5::bigint, drafts.known_seq)`,
          [memberId, conversationId, reply ?? null, note ?? null, knownSeq ?? null],
        )
        await tx.all(`DELETE FROM drafts WHERE member_id = $1 AND conversation_id = $2 AND reply = '' AND note = ''`, [
          memberId,
          conversationId,
        ])
      }),
    async findDrafts(memberId, conversationId) {
      const row = await db.one<OpenedConversation['drafts']>(
        'SELECT reply, note, known_seq AS "knownSeq" FROM drafts WHERE member_id = $1 AND conversation_id = $2',
        [memberId, conversationId],
      )
      return row ?? { reply: '', note: '', knownSeq: 0 }
    },
    async releaseConversations(awaySince, handover, limit) {
      const isAway = `(a.active_at IS NULL OR a.active_at < $1) AND ${visitorWaitsSql}`
      // Checks without a write first: usually nobody is away.
      if (!(await db.one(`SELECT v.id ${assignedSql} WHERE ${isAway} LIMIT 1`, [awaySince]))) return []
      return db.transact(async tx => {
        const owned = await lockAssigned(tx, `${isAway} LIMIT $2`, [awaySince, limit], 'SKIP LOCKED')
        return release(tx, owned, handover)
      })
    },
  }
}

/** Which conversations of some bots a page of a list has, in the order of a column. */
interface PageOfBots {
  column: string
  order: string
  condition: (placeholder: Placeholder) => string
  place: ListPlace
  limit: number
}

/** Finds a page. An index has the order within a bot, so one bot is read after the other, and none further than the page goes. */
export async function findPlaces(
  tx: Queries,
  botIds: string[],
  { column, order, condition, place, limit }: PageOfBots,
): Promise<ListPlace[]> {
  const values: unknown[] = []
  const isOfPage = condition(value => `$${4 + values.push(value)}`)
  const found: ListPlace[] = []
  for (const botId of botIds)
    found.push(
      ...(await tx.all<ListPlace>(
        `SELECT id, ${column} AS at FROM conversations
         WHERE bot_id = $1 AND ${isOfPage} AND ${column} IS NOT NULL
           AND (${column}, id) ${order === 'ASC' ? '>' : '<'} ($2, $3)
         ORDER BY ${column} ${order}, id ${order} LIMIT $4`,
        [botId, place.at, place.id, limit, ...values],
      )),
    )
  found.sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id))
  return (order === 'ASC' ? found : found.reverse()).slice(0, limit)
}

/** Reads conversations in the order in which they were found. */
export async function readConversations(tx: Queries, found: { id: string }[]): Promise<DeskConversation[]> {
  if (found.length === 0) return []
  const ids = found.map(({ id }) => id)
  const rows = await tx.all<DeskRecord>(`${selectConversations} WHERE v.id = ANY ($1)`, [ids])
  const byId = new Map(rows.map(row => [row.conversationId, toDeskConversation(row)]))
  return ids.flatMap(id => byId.get(id) ?? [])
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Records that a member is active. Resolves to whether it still sees the bot. Removal and a change of its bots lock the member
 * first, too: nobody may own a conversation that it does not see.
 */
async function lockMember(tx: Queries, { botId }: BotScope, { id }: Actor, at: string): Promise<boolean> {
  const member = await tx.one<{ botIds: string | null }>(
    'UPDATE members SET active_at = $2 WHERE id = $1 RETURNING bot_ids AS "botIds"',
    [id, at],
  )
  return member !== undefined && parseJson<string[]>(member.botIds)?.includes(botId) !== false
}

/** Locks a conversation that has messages. What is stored in one that a purge has emptied would stay for ever. */
async function lockFilled(tx: Queries, scope: BotScope, conversationId: string) {
  const found = await lock(tx, scope, { conversationId })
  return found?.lastMessageAt === null ? undefined : found
}

/** Who answers after a member has claimed the conversation, and the note of it. */
const claim = (found: FoundConversation, actor: Actor, at: string) =>
  [
    nextStatus(found, { type: 'claimed', memberId: actor.id }, { at, hasResponder: found.hasResponder }),
    { at, note: eventNote(actor, 'claimed', at) },
  ] as const

/** SQL for the conversations `v` that a member `a` owns, with their last message `m`. */
const assignedSql = `FROM conversations v JOIN members a ON a.id = v.assignee_id JOIN bots b ON b.id = v.bot_id
  JOIN messages m ON m.conversation_id = v.id AND m.seq = v.last_seq`

interface AssignedConversation extends AnsweredConversation {
  botId: string
  isWaitedFor: Flag
  lastMessageAt: string
  memberId: string
  memberName: string
}

/** Locks conversations that members own. */
const lockAssigned = (tx: Queries, condition: string, values: unknown[], mode: 'SKIP LOCKED' | '' = '') =>
  tx.all<AssignedConversation>(
    `SELECT v.id, v.bot_id AS "botId", ${statusColumns}, ${hasResponderSql} AS "hasResponder",
       ${visitorWaitsSql} AS "isWaitedFor", m.created_at AS "lastMessageAt", a.id AS "memberId", a.name AS "memberName"
     ${assignedSql} WHERE ${condition} FOR NO KEY UPDATE OF v ${mode}`,
    values,
  )

/** Lets conversations wait for another member, which the caller has locked. */
async function release(tx: Queries, owned: AssignedConversation[], handover: Handover) {
  const { at } = handover
  for (const conversation of owned) {
    const { id, hasResponder, isWaitedFor, lastMessageAt, memberId, memberName } = conversation
    const since = isWaitedFor ? lastMessageAt : at
    const until = await handoverEnd(tx, id, handover)
    const status = nextStatus(conversation, { type: 'released', since, until }, { at, hasResponder })
    const note = eventNote({ id: memberId, name: memberName }, 'released', at)
    await changeStatus(tx, id, status, { at, note })
  }
  return owned.map(({ id, botId }) => ({ id, botId }))
}

/** Lets the conversations of a member wait for another one, except those of some bots. */
export const releaseAllOf = async (tx: Queries, memberId: string, handover: Handover, exceptBotIds: string[] = []) =>
  release(
    tx,
    await lockAssigned(tx, 'v.assignee_id = $1 AND v.bot_id <> ALL ($2) ORDER BY v.id', [memberId, exceptBotIds]),
    handover,
  )

interface PersonRecord extends Pick<Person, 'locale' | 'signedInSince'> {
  isBlocked: Flag
  email: string | null
  isEmailConfirmed: Flag
  contactId: string | null
  /** JSON. */
  context: string | null
}
