import { randomUUID } from 'node:crypto'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Tells whether a text can be the id of a bot or contact at all; others never reach the store. */
export const isId = (text: string): boolean => form.test(text)

/** A UUIDv7: its first 48 bits are the time, so that ids made later sort later. */
export function createId(now: number): string {
  const time = now.toString(16).padStart(12, '0')
  // What stands behind the version of a random UUID is the same there; it takes its randomness in bulk.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
