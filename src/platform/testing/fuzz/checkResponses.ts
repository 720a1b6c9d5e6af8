import * as v from 'valibot'
import { expect } from 'vitest'
import {
  type Endpoint,
  type EndpointName,
  endpoints,
  errorCatalogue,
  openapi,
  problemSchema,
} from '../../../contract/index.ts'

interface FuzzResponse {
  name: EndpointName
  method: string
  response: { status: number; headers: Headers }
  text: string
  /** What no error may contain. */
  secrets: string[]
}

interface Documented {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}
const { paths } = openapi('0') as unknown as Documented
const problem = v.strictObject(problemSchema.entries)
const inner = /sqlite|\bSELECT\b|\bINSERT\b|node:|\.ts:\d|\bat \w+ \(|undefined/

/** Checks a response against the contract: its status is documented and its body has the documented form. */
export function expectDocumented({ name, method, response: { status, headers }, text, secrets }: FuzzResponse): void {
  const row: Endpoint = endpoints[name]
  const summary = `${method} ${name}: ${status} ${text.slice(0, 500)}`
  expect(status, summary).toBeLessThan(500)
  expect(headers.get('x-request-id'), summary).toMatch(/^[\w-]{8,}$/)
  expect(headers.get('x-content-type-options'), summary).toBe('nosniff')
  const operation = paths[row.path]?.[method.toLowerCase()]
  if (operation && status !== 304) expect(Object.keys(operation.responses), summary).toContain(String(status))
  if (status >= 400) expectProblem(status, headers, text, secrets, summary, method)
  else if (operation && status === row.success.status && row.success.schema && method !== 'HEAD')
    expect(v.is(row.success.schema, JSON.parse(text)), summary).toBe(true)
}

function expectProblem(
  status: number,
  headers: Headers,
  text: string,
  secrets: string[],
  summary: string,
  method: string,
): void {
  expect(headers.get('content-type'), summary).toBe('application/problem+json')
  expect(headers.get('cache-control'), summary).toBe('no-store')
  if (method === 'HEAD') return
  const parsed = v.safeParse(problem, JSON.parse(text))
  if (!parsed.success) throw new Error(`No problem: ${summary}`)
  const { code, status: stated, type, instance, title } = parsed.output
  expect({ stated, title, type, instance }, summary).toEqual({
    stated: status,
    title: errorCatalogue[code].title,
    type: `urn:natter:problem:${code}`,
    instance: `urn:natter:request:${headers.get('x-request-id')}`,
  })
  expect(errorCatalogue[code].status, summary).toBe(status)
  // The pointer to an unknown parameter repeats the client's own name of it, whatever that is.
  const ours = text.replace(/"pointer":"(?:[^"\\]|\\.)*","code":"unknown"/g, '')
  expect(inner.test(ours), summary).toBe(false)
  for (const secret of secrets) expect(text.includes(secret), summary).toBe(false)
}
