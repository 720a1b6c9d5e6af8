import { BrokenRule } from './brokenRule.ts'

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

/** Requires one of these statuses. */
export function expectStatus(reply: Reply, ...statuses: number[]): void {
  if (!statuses.includes(reply.status)) throw new BrokenRule(statuses.join(' or '), describe(reply))
}

/** Requires a success. For rules of the specification, which names no status. */
export function expectSuccess(reply: Reply): void {
  if (reply.status < 200 || reply.status > 299) throw new BrokenRule('a success', describe(reply))
}

/** Requires a refusal. For rules of the specification, which names no status. */
export function expectRefusal(reply: Reply): void {
  if (reply.status < 400 || reply.status > 499) throw new BrokenRule('a refusal (4xx)', describe(reply))
}

/** Requires this status and an empty body. */
export function expectEmpty(reply: Reply, status: number): void {
  expectStatus(reply, status)
  if (reply.text !== '') throw new BrokenRule(`${status} without a body`, describe(reply))
}

/** Requires an error with this code and, if there is a pointer, an entry with that pointer among its `errors`. */
export function expectProblem(reply: Reply, status: number, code: string, pointer?: string): Fields {
  expectStatus(reply, status)
  const problem = bodyOf(reply)
  if (problem['code'] !== code) throw new BrokenRule(`${status} ${code}`, describe(reply))
  if (pointer === undefined) return problem
  const found = (problem['errors'] as Fields[] | undefined)?.some(error => error['pointer'] === pointer)
  if (!found) throw new BrokenRule(`an error with the pointer ${pointer}`, describe(reply))
  return problem
}

/** Requires both to be equal as JSON. */
export function expectEqual(what: string, got: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(expected)]
  if (left !== right) throw new BrokenRule(`${what} ${right}`, left ?? 'nothing')
}

/** Requires a header whose value matches. */
export function expectHeader(reply: Reply, name: string, form: RegExp): void {
  const value = reply.headers.get(name)
  if (value === null || !form.test(value))
    throw new BrokenRule(`the header ${name} like ${form.source}`, `${value ?? 'none'} with ${describe(reply)}`)
}

/** Requires a condition. */
export function expectThat(isMet: boolean, expected: string, got: string | Reply): void {
  if (!isMet) throw new BrokenRule(expected, typeof got === 'string' ? got : describe(got))
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
