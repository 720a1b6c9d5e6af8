/** SQL for the time of the first message that the turn of the row `turn` answers. */
export const firstMessageSql = (turn: string): string =>
  `(SELECT m.created_at FROM messages m WHERE m.conversation_id = ${turn}.conversation_id AND m.seq = ${turn}.from_seq)`
