const trusted: unique symbol = Symbol('markup')

/** Escaped markup. Only `html` creates it. */
export interface Html {
  readonly [trusted]: string
}

/** A value in a template. Markup is inserted as it is, other values as text, and missing values as nothing. */
export type Part = Html | string | number | boolean | null | undefined | readonly Part[]

/** A template of markup. Every value in it is escaped, and may be in text or in a quoted attribute. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  [trusted]: strings.reduce((markup, string, index) => markup + render(parts[index - 1]) + string),
})

/** The text of markup, for the response. */
export const textOf = (markup: Html): string => markup[trusted]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function render(part: Part): string {
  if (part === null || part === undefined || typeof part === 'boolean') return ''
  if (typeof part === 'string' || typeof part === 'number')
    return String(part).replace(/[&<>"']/g, character => entities[character] ?? '')
  return trusted in part ? part[trusted] : part.map(render).join('')
}
