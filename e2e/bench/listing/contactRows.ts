import { normalizeContact } from '../../../src/platform/search/searchNormalization.ts'
import { createContactGenerator } from '../contactGenerator.ts'

/** The columns of the rows that `createRowGenerator` creates, in this order. */
export const rowColumns = `id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at,
  name_text, rest_text, digits_text`

/** The creation time of the first contact, and the interval between two contacts. */
const [firstMs, stepMs] = [Date.UTC(2020, 0, 1), 7]

/** Generates the bot's contacts from the oldest to the newest, each as a line of PostgreSQL's COPY. */
export function createRowGenerator({ organizationId, botId }: { organizationId: string; botId: string }): () => string {
  const nextContact = createContactGenerator()
  let count = 0
  return () => {
    const { name, email, phone, wid = '' } = nextContact()
    const ms = firstMs + count++ * stepMs
    const contact = { id: idAt(ms, count), name, email, phone, mid: '', wid }
    const text = normalizeContact(contact)
    const at = new Date(ms).toISOString()
    const { id, mid } = contact
    const values = [id, organizationId, botId, email, name, email, phone, mid, wid, at, at]
    const searched = [text.name, text.rest, text.digits]
    return `${[...values, ...searched].join('\t')}\n`
  }
}

/** An id in the platform's format (UUIDv7), without randomness, so that each run measures the same rows. */
function idAt(ms: number, number: number): string {
  const time = ms.toString(16).padStart(12, '0')
  const mixed = (Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')
  const more = (Math.imul(number, 0x85ebca6b) >>> 0).toString(16).padStart(8, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${mixed.slice(0, 3)}-8${mixed.slice(3, 6)}-${mixed.slice(6)}${more}${number.toString(16).slice(-2).padStart(2, '0')}`
}
