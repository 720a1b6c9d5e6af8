import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { expectNoViolation } from './openapiValidator.ts'

const preload = join(import.meta.dirname, 'checkServer.ts')
const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-request-id': crypto.randomUUID() }

/** What a server prints to stderr when it responds to `/healthz` like this. */
async function captureStderr(head: Record<string, string>, body: string): Promise<string> {
  const program = `
    import { createServer } from 'node:http'
    const server = createServer((_, answer) => answer.writeHead(200, ${JSON.stringify(head)}).end(${JSON.stringify(body)}))
    server.listen(0, async () => {
      await (await fetch('http://127.0.0.1:' + server.address().port + '/healthz')).text()
      server.close()
      server.closeAllConnections()
    })`
  const args = ['--import', preload, '--input-type=module', '--eval', program]
  return (await promisify(execFile)(process.execPath, args)).stderr
}

describe('a server under test', () => {
  it('reports responses that violate the document, and no others', async () => {
    const well = JSON.stringify({ data: { status: 'ok', version: '1' } })
    expectNoViolation(await captureStderr(headers, well))
    const wrong = await captureStderr(headers, JSON.stringify({ data: { status: 'poor', version: '1' } }))
    expect(() => expectNoViolation(wrong)).toThrow('GET /healthz answered 200: /data/status')
    const { 'x-request-id': _, ...anonymous } = headers
    const unnamed = await captureStderr(anonymous, well)
    expect(() => expectNoViolation(unnamed)).toThrow('the header X-Request-Id is missing')
  })
})
