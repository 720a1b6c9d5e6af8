// Imports nothing: the threads of a database have these limits, too.

/** The time, in milliseconds after its arrival, within which a request is answered, unless its endpoint has another. */
export const defaultTimeLimitMs = 5_000
/** The same for an upsert: a thousand entries take longer, and may wait for other upserts. */
export const upsertTimeLimitMs = 30_000

/** The most messages of a conversation that are passed to a responder. */
export const maxHistory = 100
