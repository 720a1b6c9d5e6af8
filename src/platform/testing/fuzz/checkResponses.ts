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
  const told = `${method} ${name}: ${status} ${text.slice(0, 500)}`
  expect(status, told).toBeLessThan(500)
  expect(headers.get('x-request-id'), told).toMatch(/^[\w-]{8,}$/)
  expect(headers.get('x-content-type-options'), told).toBe('nosniff')
  const operation = paths[row.path]?.[method.toLowerCase()]
  if (operation && status !== 304) expect(Object.keys(operation.responses), told).toContain(String(status))
  if (status >= 400) expectProblem(status, headers, text, secrets, told, method)
  else if (operation && status === row.success.status && row.success.schema && method !== 'HEAD')
    expect(v.is(row.success.schema, JSON.parse(text)), told).toBe(true)
}

function expectProblem(
  status: number,
  headers: Headers,
  text: string,
  secrets: string[],
  told: string,
  method: string,
): void {
  expect(headers.get('content-type'), told).toBe('application/problem+json')
  expect(headers.get('cache-control'), told).toBe('no-store')
  if (method === 'HEAD') return
  const parsed = v.safeParse(problem, JSON.parse(text))
  if (!parsed.success) throw new Error(`No problem: ${told}`)
  const { code, status: stated, type, instance, title } = parsed.output
  expect({ stated, title, type, instance }, told).toEqual({
    stated: status,
    title: errorCatalogue[code].title,
    type: `urn:natter:problem:${code}`,
    instance: `urn:natter:request:${headers.get('x-request-id')}`,
  })
  expect(errorCatalogue[code].status, told).toBe(status)
  expect(inner.test(text), told).toBe(false)
  for (const secret of secrets) expect(text.includes(secret), told).toBe(false)
}
