import type { Attributes } from '../../contract/index.ts'

/** The facts about the visitor that the page has set with `setContext()`. */
export interface VisitorContext {
  attributes: Attributes
  /** The contact of whom the page has said it; `null` while nobody has been identified since. */
  contactId: string | null
}
