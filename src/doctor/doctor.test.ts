import { createServer as createTlsServer } from 'node:https'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DoctorSetup, type Fault, pageOf, startDoctorSetup } from '../platform/testing/doctorSetup.ts'
import { freePort } from '../testPort.ts'
import { listen, startLocalServer } from '../testServer.ts'
import { type DoctorOptions, runDoctor } from './doctor.ts'

let setup: DoctorSetup
beforeAll(async () => {
  setup = await startDoctorSetup()
})
afterEach(() => {
  delete setup.faults.site
  delete setup.faults.platform
})
afterAll(() => setup.close())

async function examine(options: Partial<DoctorOptions> = {}) {
  const all = []
  for await (const result of runDoctor({
    site: 'https://shop.example/',
    fetch: setup.fetch,
    now: setup.now,
    ...options,
  }))
    all.push(result)
  return all
}

/** The lines of the checks that fail. */
async function failures(options: Partial<DoctorOptions> = {}): Promise<string[]> {
  const failed = (await examine(options)).filter(({ kind }) => kind === 'failed')
  return failed.map(({ check, found, fix }) => `${check}: ${found}. ${fix}`)
}

/** Changes the headers of a response. */
const withHeaders =
  (headers: Record<string, string | null>, path: RegExp = /./): Fault =>
  async (request, respond) => {
    const response = await respond(request)
    if (!path.test(new URL(request.url).pathname)) return response
    const changed = new Headers(response.headers)
    for (const [name, value] of Object.entries(headers))
      value === null ? changed.delete(name) : changed.set(name, value)
    return new Response(response.body, { status: response.status, headers: changed })
  }

/** Drops a header of a request. */
const withoutHeader =
  (name: string): Fault =>
  (request, respond) => {
    request.headers.delete(name)
    return respond(request)
  }

const answer =
  (path: string, response: () => Response): Fault =>
  (request, respond) =>
    new URL(request.url).pathname === path && request.headers.get('x-scheme') === 'https'
      ? response()
      : respond(request)

const page = (html: string, headers: Record<string, string> = {}): Fault =>
  answer('/', () => new Response(html, { headers }))

describe('natter doctor', () => {
  it('finds nothing wrong with a site that is set up well', async () => {
    const results = await examine()
    expect(results.filter(({ kind }) => kind !== 'ok')).toEqual([])
    expect(new Set(results.map(({ check }) => check.split(' ')[0]))).toEqual(
      new Set('page tag csp secrets tls token-route health script compression origin stream clock'.split(' ')),
    )
  })

  it('accepts a token route of a router that answers 404 to other methods than POST', async () => {
    setup.faults.site = async (request, respond) =>
      request.method === 'GET' && new URL(request.url).pathname === '/chat-token'
        ? new Response(null, { status: 404 })
        : respond(request)
    expect(await failures()).toEqual([])
  })

  it('finds the platform of a page that pins a version', async () => {
    const tag = `<script src="https://chat.example/natter@0.1.0/natter.all.js" data-bot-id="${setup.botId}"></script>`
    setup.faults.site = page(tag)
    expect(await failures()).toEqual([])
  })

  it('says what is missing if the page does not embed the chat', async () => {
    setup.faults.site = page('<title>Shop</title>')
    expect(await failures()).toEqual([expect.stringMatching(/^tag: .*Add --base-url and --bot/)])
    const { botId } = setup
    expect(await failures({ baseUrl: 'https://chat.example', botId, tokenUrl: '/chat-token' })).toEqual([])
    expect(await failures({ site: 'https://nowhere.example/' })).toEqual([
      expect.stringMatching(/^page: .*does not answer/),
    ])
  })

  it('names the cause if there is no answer, and what to do about it', async () => {
    const plain = await startLocalServer((_request, response) => response.end())
    const untrusted = await listen(createTlsServer({ cert, key }, (_request, response) => response.end()))
    const port = await freePort()
    const said = async (site: string) => (await failures({ site, fetch }))[0]
    expect(await said(`http://127.0.0.1:${port}/`)).toMatch(/^page: .* ECONNREFUSED\. Nothing listens at this port/)
    expect(await said('http://127.0.0.1:9/')).toMatch(/^page: .* bad port\. Browsers refuse this port/)
    expect(await said('http://nowhere.invalid/')).toMatch(/^page: .* (ENOTFOUND|EAI_AGAIN)\. .*does not know the name/)
    expect(await said(`https://127.0.0.1:${untrusted.port}/`)).toMatch(
      /^page: .* DEPTH_ZERO_SELF_SIGNED_CERT\. .*fullchain/,
    )
    expect(await said(`https://127.0.0.1:${plain.port}/`)).toMatch(/^page: .*\. This port does not speak TLS/)
    await untrusted.close()
    await plain.close()
  })

  it('tries the webhooks of the bot with a request that they must refuse', async () => {
    const bot = await setup.findBot(setup.botId)
    const said = async (events: string, webhook: string) => {
      const findBot = async () =>
        bot && {
          ...bot,
          events: { url: events, secret: 's' },
          responder: { kind: 'webhook' as const, url: webhook, secret: 's' },
        }
      const results = await examine({ findBot })
      return results.flatMap(({ check, kind, found, fix }) =>
        check === 'events' || check === 'webhook' ? `${kind} ${check}: ${found}. ${fix}` : [],
      )
    }
    setup.faults.site = (request, respond) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/refuses')
        return new Response(null, { status: request.headers.has('webhook-signature') ? 200 : 401 })
      if (pathname === '/accepts') return new Response(null, { status: 204 })
      return pathname === '/missing' ? new Response(null, { status: 404 }) : respond(request)
    }
    expect(await said('https://shop.example/refuses', 'https://nowhere.example/')).toEqual([
      expect.stringMatching(/^failed webhook: .*nowhere\.example does not answer/),
      expect.stringMatching(/^ok events: .*refuses a request without a signature/),
    ])
    expect(await said('https://shop.example/accepts', 'https://shop.example/missing')).toEqual([
      expect.stringMatching(/^failed webhook: .* answers 404 .*Mount the receiver there/),
      expect.stringMatching(/^failed events: .* answers 204 .*verifyWebhook/),
    ])
  })

  it.each<[string, () => DoctorSetup['faults'], RegExp[]]>([
    [
      'a tag that is a module',
      () => ({ site: page(pageOf(setup.botId).replace('async', 'type="module"')) }),
      [/^tag: .*Remove type="module"/],
    ],
    [
      'a policy that forbids the script',
      () => ({ site: page(pageOf(setup.botId), { 'content-security-policy': "script-src 'self'" }) }),
      [
        /^csp: script-src .* does not allow https:\/\/chat\.example\/natter\.js\. Add to script-src: https:\/\/chat\.example$/,
      ],
    ],
    [
      'a policy of nonces without one on the tag',
      () => ({
        site: page(pageOf(setup.botId), { 'content-security-policy': "script-src 'nonce-abc' 'strict-dynamic'" }),
      }),
      [/^csp: script-src .*Put the nonce of each response on the script's tag/],
    ],
    [
      'a policy that forbids the platform and the token route',
      () => ({
        site: page(
          `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src https:">${pageOf(setup.botId)}`,
        ),
      }),
      [
        /^csp: default-src .*Add the directive: connect-src https:\/\/chat\.example$/,
        /^csp: default-src .*Add the directive: connect-src 'self'$/,
      ],
    ],
    [
      'an organization token in a bundle',
      () => ({ site: answer('/bundle.js', () => new Response(`const token = '${setup.organizationToken}'`)) }),
      [/^secrets: https:\/\/shop\.example\/bundle\.js has an organization token/],
    ],
    [
      'a site without a redirect to TLS',
      () => ({ site: withoutHeader('x-scheme') }),
      [/^tls: http:\/\/shop\.example answers without TLS/],
    ],
    [
      'a token route that gives a token to everybody',
      () => ({
        site: answer('/chat-token', () => Response.json({ data: {} }, { headers: { 'cache-control': 'max-age=60' } })),
      }),
      [
        /^token-route: POST .* answers 200 .*Return null from `identify`/,
        /^token-route cache: .*max-age=60/,
        /^token-route get: GET .* answers 200, not 404 or 405/,
        /^token-route origin: .* answers 200 to a page of another site/,
      ],
    ],
    [
      'a token route behind a redirect to the sign-in page',
      () => ({
        site: answer(
          '/chat-token',
          () => new Response(null, { status: 302, headers: { location: '/login', 'cache-control': 'no-store' } }),
        ),
      }),
      [/^token-route: .* answers 302 .*Exempt it from the redirect/, /^token-route get/, /^token-route origin/],
    ],
    [
      'a platform that does not answer',
      () => ({ platform: answer('/healthz', () => new Response('Bad gateway', { status: 502 })) }),
      [/^health: .* answers 502, but not as Natter does/],
    ],
    [
      'an address in the tag that ends with /v1',
      () => ({
        site: page(
          '<script src="https://chat.example/natter.js" data-base-url="https://chat.example/v1" data-bot-id="b"></script>',
        ),
      }),
      [/^health: .*Leave \/v1 out/],
    ],
    [
      'an address in the tag that is none',
      () => ({
        site: page('<script src="https://chat.example/natter.js" data-base-url="https://" data-bot-id="b"></script>'),
      }),
      [/^tag: its data-base-url is https:\/\/, which is no address\. Correct data-base-url\.$/],
    ],
    [
      'a script that caches keep for a day',
      () => ({ platform: withHeaders({ 'cache-control': 'max-age=86400' }, /^\/natter\.js$/) }),
      [/^script: .*max-age=86400/],
    ],
    [
      'a script of an old version',
      () => ({
        platform: answer(
          '/natter.js',
          () =>
            new Response('"natter@0.0.9/core-1.js"', {
              headers: { 'cache-control': 'max-age=300', 'content-encoding': 'identity' },
            }),
        ),
      }),
      [/^script: .* is of version 0\.0\.9, and the platform of 0\.1\.0/],
    ],
    [
      'parts of the script that the proxy does not pass on',
      () => ({ platform: answer('/natter@0.1.0/panel-3c4d.js', () => new Response(null, { status: 404 })) }),
      [/^script: .*panel-3c4d\.js answers 404/],
    ],
    [
      'a proxy that takes compression away',
      () => ({
        platform: withoutHeader('accept-encoding'),
      }),
      [/^compression: .* comes uncompressed/],
    ],
    [
      'a proxy that takes CORS headers away',
      () => ({ platform: withHeaders({ 'access-control-allow-origin': null }, /widget$/) }),
      [/^origin: .*Access-Control-Allow-Origin: \(none\)/],
    ],
    [
      'a proxy that buffers streams',
      () => ({
        platform: async (request, respond) => {
          const response = await respond(request)
          return new Response(response.body && (await response.arrayBuffer()), response)
        },
      }),
      [/^stream: events arrive together.*Turn off buffering/],
    ],
    [
      'a clock that is slow',
      () => ({ platform: withHeaders({ date: new Date(Date.now() - 3_600_000).toUTCString() }) }),
      [/^clock: the clocks differ by 3[56]\d\d s/],
    ],
  ])('finds %s', async (_, faults, expected) => {
    Object.assign(setup.faults, faults())
    expect(await failures()).toEqual(expected.map(pattern => expect.stringMatching(pattern)))
  })

  it('decodes what templates write in attributes', async () => {
    const tag = `<img alt="&#99999999;&#x110000;">${pageOf(setup.botId).replaceAll('https://', 'https&#58;&#x2F;&#47;')}`
    setup.faults.site = page(tag.replaceAll('"/chat', '"&#x2f;chat'))
    expect(await failures()).toEqual([])
    setup.faults.site = page(tag.replace('async', 'nonce="&#99999999;"'))
    expect(await failures()).toEqual([])
  })

  it('tells a refused origin from an unknown bot', async () => {
    expect(await failures({ site: 'https://shop.example/', botId: 'unknown' })).toEqual([
      expect.stringMatching(/^origin: there is no bot unknown/),
    ])
  })

  it('names the command that allows the origin of the page', async () => {
    const toShop = ((input: RequestInfo | URL, init?: RequestInit) =>
      setup.fetch(String(input).replace('//new.shop.example', '//shop.example'), init)) as typeof fetch
    const lines = await failures({ site: 'https://new.shop.example/', fetch: toShop })
    expect(lines).toContainEqual(
      `origin: the bot refuses pages of https://new.shop.example. natter bot update ${setup.botId} --add-origin https://new.shop.example`,
    )
  })

  describe('with what the server of the site uses', () => {
    const given = { baseUrl: 'https://chat.example/', botId: undefined }
    /** What it says of the organization token. */
    async function said(server: Partial<NonNullable<DoctorOptions['server']>> = {}) {
      const { token = setup.organizationToken } = server
      const all = await examine({ server: { ...given, token, ...server } })
      expect(JSON.stringify(all)).not.toContain(token.slice(2))
      const result = all.find(({ check }) => check === 'organization-token')
      return `${result?.kind === 'ok' ? 'ok' : 'FAILED'}: ${result?.found}. ${result?.fix ?? ''}`
    }

    it('tries the organization token', async () => {
      expect(await said()).toMatch(/^ok: https:\/\/chat\.example\/ accepts it/)
      expect(await said({ token: `o_${'0'.repeat(64)}` })).toMatch(
        /^FAILED: .* answers 401.*--dev.*natter token create/,
      )
      expect(await said({ token: `c:${'0'.repeat(64)}` })).toMatch(/^FAILED: .* answers 40[13]/)
      expect(await said({ baseUrl: 'https://nowhere.example' })).toMatch(
        /^FAILED: https:\/\/nowhere\.example does not answer/,
      )
      expect(await said({ botId: 'another' })).toMatch(/^FAILED: NATTER_BOT_ID is another, and the bot of the page/)
    })

    it('sends the token to no address that only the page names', async () => {
      const tokens: string[] = []
      setup.faults.platform = (request, respond) => {
        tokens.push(request.headers.get('authorization') ?? '')
        return respond(request)
      }
      expect(await said({ baseUrl: undefined })).toMatch(/^FAILED: it was not tried. Set NATTER_BASE_URL/)
      expect(tokens.length).toBeGreaterThan(5)
      expect(new Set(tokens)).toEqual(new Set(['']))
    })
  })

  it('shows no organization token', async () => {
    setup.faults.site = answer('/bundle.js', () => new Response(setup.organizationToken))
    expect(JSON.stringify(await examine())).not.toContain(setup.organizationToken)
  })
})

/** A certificate for 127.0.0.1 that nobody trusts, valid until 2120, and its key. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBSjCB8aADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCTEyNy4wLjAu
MTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
MTI3LjAuMC4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeUTDNbEzU3UciYLx
k6rW/1G+zR2S9NrPD1p42TCxf9syLEre4pA0H36p2GkfGxt7h/lQMz7gzIS2bzwa
TdpNtaMyMDAwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUGiSYr95FfWyrHsN2
5ufELRpeg9cwCgYIKoZIzj0EAwIDSAAwRQIgDtOVV5ury4Iyr7vCsBbM6divA4F7
pKLSHaJUhA4KZxACIQDhvbhGfZRyhreEU3pIVQoI10hJ/CXnx9rMQCySTfGwwQ==
-----END CERTIFICATE-----`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnwIW+lxpcv7m4gxg
xPOxtFWQEpBtl/rvj/39zq+oR6KhRANCAAR5RMM1sTNTdRyJgvGTqtb/Ub7NHZL0
2s8PWnjZMLF/2zIsSt7ikDQffqnYaR8bG3uH+VAzPuDMhLZvPBpN2k21
-----END PRIVATE KEY-----`
