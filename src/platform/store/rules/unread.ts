/** The most conversations whose unread messages one call reports. */
export const maxUnreadAtOnce = 200

/** A later time of presence was written before the clock was set back, and does not count. */
export const latestPresenceMs = 60_000

/** SQL for whether `message.unread` was enqueued for the unread messages of a contact's conversation `v`. */
export const isUnreadReported = 'v.contact_id IS NOT NULL AND v.unread > 0 AND v.unread_since IS NULL'
