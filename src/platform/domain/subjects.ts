/** What a conversation's streams listen to. */
export const conversationSubject = (conversationId: string): string => `conversation.${conversationId}`

/** What the streams of one session listen to. */
export const sessionSubject = (hash: string): string => `session.${hash}`
