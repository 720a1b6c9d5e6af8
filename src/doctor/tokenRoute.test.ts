import { expect, it } from 'vitest'
import type { CheckResult, DoctorTarget } from './check.ts'
import { checkTokenRoute } from './tokenRoute.ts'

const target: DoctorTarget = {
  site: 'https://shop.example/',
  baseUrl: 'https://chat.example',
  botId: 'b',
  tokenUrl: undefined,
  fetch,
  now: Date.now,
}

it.each([
  [404, 'Mount the token route there, for POST.'],
  [405, 'Mount the token route for POST.'],
  [200, "Mount POST /chat-token before your app's fallback."],
])('says once that the token route is missing, if it answers %i with a page', async (status, fix) => {
  const results: CheckResult[] = []
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  const fetch = async () => new Response('<h1>My shop</h1>', { status, headers })
  for await (const result of checkTokenRoute({ ...target, fetch }, 'https://shop.example/chat-token'))
    results.push(result)
  expect(results).toEqual([expect.objectContaining({ check: 'token-route', kind: 'failed', fix })])
})
