import { BrokenRule, bodyOf, describe, type Fields, type Reply } from './reply.ts'

/** Requires one of these statuses. */
export function status(reply: Reply, ...statuses: number[]): void {
  if (!statuses.includes(reply.status)) throw new BrokenRule(statuses.join(' or '), describe(reply))
}

/** Requires a success. For rules of the specification, which names no status. */
export function success(reply: Reply): void {
  if (reply.status < 200 || reply.status > 299) throw new BrokenRule('a success', describe(reply))
}

/** Requires a refusal. For rules of the specification, which names no status. */
export function refusal(reply: Reply): void {
  if (reply.status < 400 || reply.status > 499) throw new BrokenRule('a refusal (4xx)', describe(reply))
}

/** Requires this status and an empty body. */
export function empty(reply: Reply, code: number): void {
  status(reply, code)
  if (reply.text !== '') throw new BrokenRule(`${code} without a body`, describe(reply))
}

/** Requires an error with this code and, if there is a pointer, an entry with that pointer among its `errors`. */
export function problem(reply: Reply, expected: number, code: string, pointer?: string): Fields {
  status(reply, expected)
  const body = bodyOf(reply)
  if (body['code'] !== code) throw new BrokenRule(`${expected} ${code}`, describe(reply))
  if (pointer === undefined) return body
  const found = (body['errors'] as Fields[] | undefined)?.some(error => error['pointer'] === pointer)
  if (!found) throw new BrokenRule(`an error with the pointer ${pointer}`, describe(reply))
  return body
}

/** Requires a 400 whose `errors` have an entry with the pointer. */
export const invalid = (reply: Reply, pointer: string): Fields => problem(reply, 400, 'invalid_request', pointer)

/** Requires both to be equal as JSON. */
export function equal(what: string, got: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(expected)]
  if (left !== right) throw new BrokenRule(`${what} ${right}`, left ?? 'nothing')
}

/** Requires a header whose value matches. */
export function header(reply: Reply, name: string, form: RegExp): void {
  const value = reply.headers.get(name)
  if (value === null || !form.test(value))
    throw new BrokenRule(`the header ${name} like ${form.source}`, `${value ?? 'none'} with ${describe(reply)}`)
}

/** Requires a condition. */
export function that(isMet: boolean, expected: string, got: string | Reply): void {
  if (!isMet) throw new BrokenRule(expected, typeof got === 'string' ? got : describe(got))
}
