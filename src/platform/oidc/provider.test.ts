import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { startTestServer } from '../testing/testServer.ts'
import { createOidcProvider, type OidcProviderOptions } from './provider.ts'

const create = (issuer: string, more: Partial<OidcProviderOptions> = {}) =>
  createOidcProvider({
    ...{ issuer, clientId: 'desk', clientSecret: 'secret', baseUrl: 'https://chat.example', clock: systemClock },
    onFailure() {},
    ...more,
  })

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

describe('a provider that does not answer as it should', () => {
  const answers: [what: string, code: string | undefined, answer: (response: ServerResponse) => void][] = [
    ['is too slow', 'OAUTH_TIMEOUT', () => {}],
    ['breaks the connection', 'UND_ERR_SOCKET', response => response.destroy()],
    ['has a fault', 'OAUTH_RESPONSE_IS_NOT_CONFORM', response => sendJson(response, {}, 500)],
    ['sends a page', 'OAUTH_RESPONSE_IS_NOT_JSON', response => response.end('<h1>Welcome</h1>')],
    [
      'is another one',
      'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
      response => sendJson(response, { issuer: 'https://evil.example' }),
    ],
  ]

  it.each(answers)('%s', async (_, code, answer) => {
    const { url } = await startTestServer(answer)
    const failures: unknown[] = []
    const timeoutSeconds = code === 'OAUTH_TIMEOUT' ? 0.1 : 10
    const provider = create(url, { timeoutSeconds, onFailure: failure => failures.push(failure) })
    const { host } = new URL(url)
    await expect(provider.begin()).rejects.toMatchObject({
      code: 'unavailable',
      details: { detail: `${host} does not answer as it should. Please try again later.` },
    })
    expect(failures).toEqual([{ provider: host, reason: expect.any(String), code }])
  })

  it('is asked again by the next sign-in', async () => {
    const { url, requests } = await startTestServer((response, _, number) =>
      sendJson(response, { issuer: url, authorization_endpoint: `${url}/authorize` }, number === 1 ? 503 : 200),
    )
    const provider = create(url)
    await expect(provider.begin()).rejects.toMatchObject({ code: 'unavailable' })
    for (let times = 0; times < 2; times++) expect((await provider.begin()).url).toMatch(`${url}/authorize?`)
    expect(requests.map(({ path }) => path)).toEqual(Array(2).fill('/.well-known/openid-configuration'))
  })
})

it('a provider needs https, except on this machine, and the public address of the platform', () => {
  expect(() => create('http://login.example')).toThrow('https')
  expect(() => create('http://localhost:8080/realms/acme')).not.toThrow()
  expect(() => create('https://login.example', { baseUrl: undefined })).toThrow('--base-url')
})
