// When the other tabs of the origin see what one tab has written to localStorage. A tab in another process may see it late.

/** By then all tabs see it. Used where a tab that sees too little would end a session, or erase what somebody has written. */
export const storageDelayMs = 5000

/**
 * How often a tab looks meanwhile, in case the `storage` event is late. Also how long it waits for the token of a login whose tab
 * has released the lock: that has written it some time before. If it sees the token even later, it has taken the login for
 * failed, and nobody's data is shown.
 */
export const storagePollMs = 250

/** Usually they see it by then. Otherwise the page is asked for another token once more, and the later one counts. */
export const usualStorageDelayMs = 100
