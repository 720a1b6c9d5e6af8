import * as v from 'valibot'
import { expect } from 'vitest'
import { errorCatalogue, problemSchema } from '../../../contract/index.ts'

interface FuzzResponse {
  method: string
  response: { status: number; headers: Headers }
  text: string
  /** What no error may contain. */
  secrets: string[]
}

const problem = v.strictObject(problemSchema.entries)
const inner = /sqlite|\bSELECT\b|\bINSERT\b|node:|\.ts:\d|\bat \w+ \(|undefined/

/** Checks what every response has in common. `withOpenapiChecks` compares it with its operation. */
export function expectWellFormed({ method, response: { status, headers }, text, secrets }: FuzzResponse): void {
  const summary = `${method}: ${status} ${text.slice(0, 500)}`
  expect(status, summary).toBeLessThan(500)
  expect(headers.get('x-request-id'), summary).toMatch(/^[\w-]{8,}$/)
  expect(headers.get('x-content-type-options'), summary).toBe('nosniff')
  if (status < 400) return
  expect(headers.get('content-type'), summary).toBe('application/problem+json')
  expect(headers.get('cache-control'), summary).toBe('no-store')
  if (method === 'HEAD') return
  const { code, title, type, instance, ...stated } = v.parse(problem, JSON.parse(text))
  expect({ title, type, instance, status: stated.status }, summary).toEqual({
    title: errorCatalogue[code].title,
    type: `urn:natter:problem:${code}`,
    instance: `urn:natter:request:${headers.get('x-request-id')}`,
    status,
  })
  expect(errorCatalogue[code].status, summary).toBe(status)
  // The pointer to an unknown parameter repeats the client's own name of it, whatever that is.
  const ours = text.replace(/"pointer":"(?:[^"\\]|\\.)*","code":"unknown"/g, '')
  expect(inner.test(ours), summary).toBe(false)
  for (const secret of secrets) expect(text.includes(secret), summary).toBe(false)
}
