/** The bus subject of a conversation. */
export const conversationSubject = (conversationId: string): string => `conversation.${conversationId}`

/** The bus subject of a session. */
export const sessionSubject = (hash: string): string => `session.${hash}`

/** The bus subject of a member's session. */
export const memberSessionSubject = (hash: string): string => `member_session.${hash}`

/** The bus subject of a bot's conversations, for the desk. */
export const deskSubject = (botId: string): string => `desk.${botId}`

/** The bus subject of an organization's team. */
export const teamSubject = (organizationId: string): string => `team.${organizationId}`
