import { BrokenRule } from './brokenRule.ts'

/** An answer, read to its end. */
export interface Reply {
  /** The request in a few words, for what is told of a broken rule. */
  asked: string
  status: number
  headers: Headers
  text: string
}

export type Fields = Record<string, unknown>

const longest = 300

/** An answer as it is told of. */
export const told = ({ asked, status, text }: Reply): string =>
  `${status} ${text.length > longest ? `${text.slice(0, longest)}…` : text || '(empty)'} to ${asked}`

/** The JSON object of an answer's body. */
export function bodyOf(reply: Reply): Fields {
  const body = parsed(reply.text)
  if (isFields(body)) return body
  throw new BrokenRule('a JSON object', told(reply))
}

/** The object in `data` (Spec 1: every success body wraps its payload so). */
export function dataOf(reply: Reply): Fields {
  const { data } = bodyOf(reply)
  if (isFields(data)) return data
  throw new BrokenRule('an object in "data"', told(reply))
}

/** The list of objects in `data`. */
export function listOf(reply: Reply): Fields[] {
  const { data } = bodyOf(reply)
  if (Array.isArray(data) && data.every(isFields)) return data
  throw new BrokenRule('an array of objects in "data"', told(reply))
}

/** Holds where the status is one of these. */
export function expectStatus(reply: Reply, ...statuses: number[]): void {
  if (!statuses.includes(reply.status)) throw new BrokenRule(statuses.join(' or '), told(reply))
}

/** Holds for any success, where the specification names no status. */
export function expectSuccess(reply: Reply): void {
  if (reply.status < 200 || reply.status > 299) throw new BrokenRule('a success', told(reply))
}

/** Holds for any refusal, where the specification names no status. */
export function expectRefusal(reply: Reply): void {
  if (reply.status < 400 || reply.status > 499) throw new BrokenRule('a refusal (4xx)', told(reply))
}

/** Holds for a success without a body. */
export function expectEmpty(reply: Reply, status: number): void {
  expectStatus(reply, status)
  if (reply.text !== '') throw new BrokenRule(`${status} without a body`, told(reply))
}

/** Holds for an error of the catalogue; with a pointer, for one that names the field. */
export function expectProblem(reply: Reply, status: number, code: string, pointer?: string): Fields {
  expectStatus(reply, status)
  const problem = bodyOf(reply)
  if (problem['code'] !== code) throw new BrokenRule(`${status} ${code}`, told(reply))
  if (pointer === undefined) return problem
  const found = (problem['errors'] as Fields[] | undefined)?.some(error => error['pointer'] === pointer)
  if (!found) throw new BrokenRule(`an error with the pointer ${pointer}`, told(reply))
  return problem
}

/** Holds where both say the same as JSON. */
export function expectEqual(what: string, got: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(expected)]
  if (left !== right) throw new BrokenRule(`${what} ${right}`, left ?? 'nothing')
}

/** Holds where the header has a value of that form. */
export function expectHeader(reply: Reply, name: string, form: RegExp): void {
  const value = reply.headers.get(name)
  if (value === null || !form.test(value))
    throw new BrokenRule(`the header ${name} like ${form.source}`, `${value ?? 'none'} with ${told(reply)}`)
}

/** Holds where it is true. */
export function expectThat(holds: boolean, expected: string, got: string | Reply): void {
  if (!holds) throw new BrokenRule(expected, typeof got === 'string' ? got : told(got))
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
