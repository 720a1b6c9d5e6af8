// When the other tabs of the origin see what one tab has written to localStorage. A tab in another process may see it late.

/** By then all tabs see it. Wherever seeing too little would take away a token or what somebody has written. */
export const storageDelayMs = 5000

/**
 * How often a tab looks meanwhile, in case the `storage` event is late. It is also how long a login may take to be seen after its
 * tab has released the lock: the token is written much earlier. One that is seen later still is taken for failed, which shows
 * nobody's data.
 */
export const storagePollMs = 250

/** Usually they see it by then. Otherwise a tab asks the page for another token once more, and all tabs use one of the two. */
export const usualStorageDelayMs = 100
