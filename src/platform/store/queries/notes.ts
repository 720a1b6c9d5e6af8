import { randomUUID } from 'node:crypto'
import type { Note } from '../../../contract/desk.ts'
import type { Queries } from '../database.ts'
import type { Actor } from '../store.ts'

/** A note without its place in the conversation. */
export interface NewNote extends Pick<Note, 'id' | 'text' | 'event' | 'createdAt'> {
  author: Actor
}

/** The note that tells the team what a member has done. */
export const eventNote = (author: Actor, event: NonNullable<Note['event']>, createdAt: string): NewNote => ({
  id: randomUUID(),
  author,
  text: '',
  event,
  createdAt,
})

/** The columns of `NoteRecord`. */
const noteColumns = `number, id, after_seq AS "afterSeq", member_id AS "memberId", member_name AS "memberName", text, event,
  created_at AS "createdAt"`

interface NoteRecord extends Omit<Note, 'author' | 'event'> {
  memberId: string
  memberName: string
  event: NonNullable<Note['event']> | null
}

const toNote = ({ memberId, memberName, event, ...rest }: NoteRecord): Note => ({
  ...rest,
  author: { id: memberId, name: memberName },
  ...(event !== null && { event }),
})

/** Finds notes of a conversation, ascending. `condition` begins with `$2`. */
export async function findNotes(
  db: Queries,
  conversationId: string,
  condition: string,
  values: unknown[],
): Promise<Note[]> {
  const rows = await db.all<NoteRecord>(
    `SELECT ${noteColumns} FROM notes WHERE conversation_id = $1 AND ${condition}`,
    [conversationId, ...values],
  )
  return rows.map(toNote)
}

/** Stores a note. The caller has raised the conversation's number of notes to `number`. */
export async function insertNote(
  tx: Queries,
  conversationId: string,
  { id, author, text, event, createdAt }: NewNote,
  { number, afterSeq }: Pick<Note, 'number' | 'afterSeq'>,
): Promise<void> {
  await tx.all(
    `INSERT INTO notes (conversation_id, number, id, after_seq, member_id, member_name, text, event, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [conversationId, number, id, afterSeq, author.id, author.name, text, event ?? null, createdAt],
  )
}
