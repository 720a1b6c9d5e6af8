import type { Attributes } from '../../contract/index.ts'
import type { AuthState, CurrentContact } from '../loader/events.ts'
import type { WidgetOptions } from '../loader/options.ts'
import { isWithinLimits, type VisitorContext } from '../loader/setContext.ts'

/**
 * Facts about the visitor and the page that are sent with each message. Only the organization sees them. `own` contains
 * those that the site has set, and is changed in place.
 */
export function createPageContext(
  page: WidgetOptions['page'],
  own: VisitorContext = { attributes: {}, contactId: null },
) {
  /** The id of the current contact; `null` if nobody is identified. */
  let current: string | null = null
  /** Whether a login is being checked, or a session restored. */
  let isIdentifying = false

  return {
    /** Replaces the facts that the page has set with `setContext()`. */
    set(attributes: Attributes): void {
      Object.assign(own, { attributes, contactId: current })
    },
    /** Returns the current facts, or `undefined` if there are none. */
    read(): Attributes | undefined {
      // While identifying, the visitor may turn out to be another person than the owner.
      const all = withPage(isIdentifying && own.contactId !== null ? {} : own.attributes, page)
      return Object.keys(all).length ? all : undefined
    },
    /** Forgets the facts if the visitor is no longer the contact that they were set for. */
    setVisitor(state: AuthState, contact: CurrentContact | null): void {
      isIdentifying = state === 'identifying'
      current = isIdentifying ? null : (contact?.id ?? null)
      if (isIdentifying) return
      if (own.contactId !== null && own.contactId !== current) own.attributes = {}
      own.contactId = current
    },
  }
}

/** Adds facts about the page, as far as the limits allow. Facts that the site has set take precedence. */
function withPage(context: Attributes, page: WidgetOptions['page']): Attributes {
  let result = context
  for (const [key, value] of Object.entries(readPage(page))) {
    const next = { [key]: value, ...result }
    if (isWithinLimits(next)) result = next
  }
  return result
}

/** Reads origin, path and title. Never add the query or the fragment: they may contain secrets. */
function readPage(page: WidgetOptions['page']): Record<string, string> {
  if (!page || page === 'false') return {}
  const path = typeof page === 'function' ? editPath(page) : location.pathname
  // <form name="title"> hides `document.title`. Its message must not be lost.
  const title = Reflect.get(Document.prototype, 'title', document)
  const known = { 'page.origin': location.origin, 'page.path': path, 'page.title': title }
  return Object.fromEntries(Object.entries(known).map(([key, value]) => [key, shorten(value)]))
}

/** Calls the site's function. An error in it is reported to the page, and the message is sent without a path. */
function editPath(edit: (path: string) => string): string {
  try {
    return `${edit(location.pathname)}`
  } catch (cause) {
    reportError(cause)
    return ''
  }
}

/** Cuts to the limit and removes characters that no database stores. `toWellFormed` is missing in Firefox 115. */
const shorten = (text: string): string => [...text.replace(/\0|\p{Surrogate}/gu, '')].slice(0, 500).join('')
