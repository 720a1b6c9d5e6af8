/** A text that members insert into replies. */
export interface SavedReplyRow {
  id: string
  organizationId: string
  /** Whose it is; `null` if the whole team has it. */
  memberId: string | null
  title: string
  text: string
  updatedAt: string
}

/** Who writes: what is its own and, as an admin, what is shared. */
export interface SavedReplyWriter {
  organizationId: string
  memberId: string
  isAdmin: boolean
}

export interface SavedReplyStore {
  /** The shared ones and the member's own, by title. */
  listSavedReplies(of: { organizationId: string; memberId: string }): Promise<SavedReplyRow[]>
  /** Creates or replaces one. Resolves to whether the writer may. */
  saveSavedReply(row: SavedReplyRow, writer: SavedReplyWriter): Promise<boolean>
  /** Resolves to whether there was one that the writer may delete. */
  deleteSavedReply(id: string, writer: SavedReplyWriter): Promise<boolean>
}
