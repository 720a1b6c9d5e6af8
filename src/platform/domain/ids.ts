import { randomUUID } from 'node:crypto'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text has the form of an id. Other texts never reach the store. */
export const isId = (text: string): boolean => form.test(text)

/** A UUIDv7: its first 48 bits are the time, so that later ids sort later. */
export function createId(now: number): string {
  const time = now.toString(16).padStart(12, '0')
  // The part after the version is random in both versions, and `randomUUID` reads randomness in bulk.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
