// Imports nothing: the threads of a database and the app of the desk have these limits, too.

/** The time, in milliseconds after its arrival, within which a request is answered, unless its endpoint has another. */
export const defaultTimeLimitMs = 5_000
/** The same for an upsert: a thousand entries take longer, and may wait for other upserts. */
export const upsertTimeLimitMs = 30_000

/** The most messages of a conversation that are passed to a responder. */
export const maxHistory = 100

/** The most files of a message, and the largest file, in bytes. */
export const maxAttachments = 5
export const maxAttachmentBytes = 10 * 1024 * 1024

/** The longest name of an agent, in code points: it stands in one line above a message. */
export const maxAgentNameLength = 80
