import type { SavedReply } from '../../contract/desk.ts'
import { maxSavedReplies } from '../../contract/deskLimits.ts'
import type { BodyOf } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { MemberRow, SavedReplyRow, SavedReplyStore, SavedReplyWriter } from '../store/store.ts'
import { isId } from './ids.ts'
import { fieldProblem, notFound } from './problem.ts'
import { timestamp } from './time.ts'

/** The texts that members insert into replies. A member sees its own and the shared ones; admins write the shared ones. */
export type SavedReplies = ReturnType<typeof createSavedReplies>

export function createSavedReplies({ store, clock }: { store: SavedReplyStore; clock: Pick<Clock, 'now'> }) {
  return {
    list: async (member: MemberRow): Promise<SavedReply[]> =>
      (await store.listSavedReplies(writerOf(member))).map(toSavedReply),

    /** Creates or replaces one. Throws `not_found` if the member may not. */
    async save(
      member: MemberRow,
      id: string,
      { title, text, isShared }: BodyOf<'saveSavedReply'>,
    ): Promise<SavedReply> {
      const writer = writerOf(member)
      if (!isId(id) || (isShared && !writer.isAdmin)) throw notFound()
      const known = await store.listSavedReplies(writer)
      if (known.length >= maxSavedReplies && !known.some(reply => reply.id === id))
        throw fieldProblem('/title', 'out_of_range', `There are ${maxSavedReplies} saved replies already.`)
      const row: SavedReplyRow = {
        ...{ id, organizationId: member.organizationId, memberId: isShared ? null : member.id },
        ...{ title, text, updatedAt: timestamp(clock.now()) },
      }
      if (!(await store.saveSavedReply(row, writer))) throw notFound()
      return toSavedReply(row)
    },

    async delete(member: MemberRow, id: string): Promise<void> {
      if (!isId(id) || !(await store.deleteSavedReply(id, writerOf(member)))) throw notFound()
    },
  }
}

const writerOf = ({ id, organizationId, role }: MemberRow): SavedReplyWriter => ({
  organizationId,
  memberId: id,
  isAdmin: role === 'admin',
})

const toSavedReply = ({ id, memberId, title, text }: SavedReplyRow): SavedReply => ({
  id,
  title,
  text,
  isShared: memberId === null,
})
