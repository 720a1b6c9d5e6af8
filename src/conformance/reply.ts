/** A broken rule: what was expected, and what happened. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  readonly expected: string
  readonly got: string

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
  }
}

/** A response that has been read completely. */
export interface Reply {
  /** Method and path of the request, for messages about broken rules. */
  request: string
  status: number
  headers: Headers
  text: string
}

export type Fields = Record<string, unknown>

const maxShownText = 300

/** A response as it is shown in messages about broken rules. */
export const describe = ({ request, status, text }: Reply): string =>
  `${status} ${text.length > maxShownText ? `${text.slice(0, maxShownText)}…` : text || '(empty)'} to ${request}`

/** The JSON object in the body of a response. */
export function bodyOf(reply: Reply): Fields {
  const body = parsed(reply.text)
  if (isFields(body)) return body
  throw new BrokenRule('a JSON object', describe(reply))
}

/** The object in `data`, in which every success body has its payload. */
export function dataOf(reply: Reply): Fields {
  const { data } = bodyOf(reply)
  if (isFields(data)) return data
  throw new BrokenRule('an object in "data"', describe(reply))
}

/** The list of objects in `data`. */
export function listOf(reply: Reply): Fields[] {
  const { data } = bodyOf(reply)
  if (Array.isArray(data) && data.every(isFields)) return data
  throw new BrokenRule('an array of objects in "data"', describe(reply))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
