/** The days of the week, from Monday on. Imports nothing, so that the app of the desk does not load the schemas. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]
