/** Whether the responder is paused. */
export const isPaused = (pausedUntil: string | null, now: string): boolean => pausedUntil !== null && pausedUntil > now

/** SQL for the conversations whose handover has expired; `now` is a parameter. */
export const expiredHandoverSql = (now: string): string => `waiting_since IS NOT NULL AND paused_until <= ${now}`

/** SQL for the messages that end or replace a pause: the pause of an earlier message is no longer that message's. */
export const replacesPauseSql = "(author = 'agent' OR event IS NOT NULL)"
