import type { Attributes } from '../../contract/index.ts'
import { contextLimits, sizeOf } from '../loader/checkContext.ts'
import type { AuthState, CurrentContact } from '../loader/events.ts'
import type { VisitorContext } from '../loader/instanceSettings.ts'
import type { WidgetOptions } from '../loader/options.ts'

/** What goes with a message beside its text, for the organization alone. */
export interface PageContext {
  /** Replaces what the page has said of the visitor. */
  set(context: Attributes): void
  /** What is known at this moment; `undefined` for nothing. */
  read(): Attributes | undefined
  /** Forgets what was said of a contact who is no longer the visitor. `identifying`: it is not known yet who it is. */
  setVisitor(state: AuthState, contact: CurrentContact | null): void
}

/** `said` is changed in place. */
export function createPageContext(
  page: WidgetOptions['page'],
  said: VisitorContext = { attributes: {}, contactId: null },
): PageContext {
  /** The contact who is the visitor, as far as that is known. */
  let current: string | null = null
  let isUndecided = false

  return {
    set(attributes) {
      Object.assign(said, { attributes, contactId: current })
    },
    read() {
      // While it is being found out who the visitor is, it may be somebody else.
      const known = withPage(isUndecided && said.contactId !== null ? {} : said.attributes, page)
      return Object.keys(known).length ? known : undefined
    },
    setVisitor(state, contact) {
      isUndecided = state === 'identifying'
      current = isUndecided ? null : (contact?.id ?? null)
      if (isUndecided) return
      if (said.contactId !== null && said.contactId !== current) said.attributes = {}
      said.contactId = current
    },
  }
}

/** Adds where the visitor is, as far as that fits: what the page itself says comes first. */
function withPage(context: Attributes, page: WidgetOptions['page']): Attributes {
  let result = context
  for (const [key, value] of Object.entries(readPage(page))) {
    const next = { [key]: value, ...result }
    if (Object.keys(next).length <= contextLimits.keys && sizeOf(next) <= contextLimits.bytes) result = next
  }
  return result
}

/** Never the query or the fragment, which may hold secrets. */
function readPage(page: WidgetOptions['page']): Record<string, string> {
  if (!page || page === 'false') return {}
  const path = typeof page === 'function' ? editPath(page) : location.pathname
  const known = { 'page.origin': location.origin, 'page.path': path, 'page.title': document.title }
  return Object.fromEntries(Object.entries(known).map(([key, value]) => [key, shorten(value)]))
}

/** The page's own mistake is the page's to see, and loses no message. */
function editPath(edit: (path: string) => string): string {
  try {
    return `${edit(location.pathname)}`
  } catch (cause) {
    reportError(cause)
    return ''
  }
}

/** `toWellFormed` is missing in Firefox 115. */
const shorten = (text: string): string =>
  [...text.replace(/\0|\p{Surrogate}/gu, '')].slice(0, contextLimits.textLength).join('')
