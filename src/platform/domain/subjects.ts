/** The bus subject of a conversation. */
export const conversationSubject = (conversationId: string): string => `conversation.${conversationId}`

/** The bus subject of a session. */
export const sessionSubject = (hash: string): string => `session.${hash}`
