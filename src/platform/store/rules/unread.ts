/** The most conversations whose unread messages one call reports. */
export const maxUnreadAtOnce = 200

/** A later time of presence was written before the clock was set back, and does not count. */
export const latestPresenceMs = 60_000
