import * as expect from './expect.ts'
import type { Reply } from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'
import type { RequestOptions, TestTarget } from './testTarget.ts'

const unknownId = '00000000-0000-7000-8000-000000000000'
const unknownToken = `o_${'x'.repeat(43)}`

/** Every endpoint for contacts and contact tokens. */
const endpoints: [method: string, path: string, options?: RequestOptions][] = [
  ['PUT', '/auth/contacts', { json: { id: unknownId } }],
  ['DELETE', `/auth/contacts/c:${'0'.repeat(64)}`],
  ['PUT', '/contacts', { json: { name: 'Nobody', email: 'nobody@example.com' } }],
  ['PATCH', '/contacts', { json: { data: [] } }],
  ['POST', '/contacts'],
  ['GET', `/contacts/${unknownId}`],
  ['PATCH', `/contacts/${unknownId}`, { json: {} }],
  ['DELETE', `/contacts/${unknownId}`],
]

const search = (target: TestTarget, options: RequestOptions) => target.request('POST', '/contacts?limit=1', options)
const corsOf = ({ headers }: Reply) => [...headers.keys()].filter(name => name.startsWith('access-control-'))
const browser = [{ origin: 'https://shop.example' }, { 'sec-fetch-site': 'cross-site' }]

/** Which tokens are accepted. */
export const authorizationRules: Rule[] = [
  spec('5.1', 'an organization token is accepted as a Bearer token', async target => {
    expect.success(await search(target, {}))
  }),
  spec('5.1', 'every contact and contact-token endpoint refuses a request without a token', async target => {
    for (const [method, path, options] of endpoints)
      expect.refusal(await target.request(method, path, { ...options, authorization: '' }))
  }),
  spec('5.1', 'every contact and contact-token endpoint refuses an unknown token', async target => {
    for (const [method, path, options] of endpoints)
      expect.refusal(await target.request(method, path, { ...options, authorization: `Bearer ${unknownToken}` }))
  }),
  ours('requests', 'the scheme Bearer is accepted in any case, and so is a token without a scheme', async target => {
    for (const scheme of ['bearer ', 'BEARER ', ''])
      expect.success(await search(target, { authorization: scheme + target.token }))
  }),
  ours('requests', 'other schemes and two Authorization headers are refused', async target => {
    expect.problem(await search(target, { authorization: `Basic ${target.token}` }), 401, 'unauthorized')
    const twice = `Bearer ${target.token}, Bearer ${target.token}`
    expect.problem(await search(target, { authorization: twice }), 400, 'invalid_request')
  }),
  ours('requests', 'a token in the query or in the body is ignored', async target => {
    const inQuery = `/contacts?limit=1&token=${target.token}&access_token=${target.token}`
    expect.problem(await target.request('POST', inQuery, { authorization: '' }), 401, 'unauthorized')
    const form = { name: 'x', email: target.freshEmail(), token: target.token }
    expect.problem(await target.request('PUT', '/contacts', { form, authorization: '' }), 401, 'unauthorized')
  }),
  ours('requests', 'every organization endpoint refuses browsers, with any token, and sends no CORS', async target => {
    for (const [method, path, options] of endpoints)
      for (const headers of browser)
        for (const authorization of [undefined, '']) {
          const token = authorization === undefined ? {} : { authorization }
          const reply = await target.request(method, path, { ...options, ...token, headers })
          expect.problem(reply, 403, 'organization_token_in_browser')
          expect.equal('CORS headers', corsOf(reply), [])
        }
  }),
  ours('requests', 'a preflight for an organization endpoint gets no CORS headers', async target => {
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'PUT' }
    const reply = await target.request('OPTIONS', '/contacts', { headers, authorization: '' })
    expect.refusal(reply)
    expect.equal('CORS headers', corsOf(reply), [])
  }),
  ours('responses', '401 comes with WWW-Authenticate, which says invalid_token if a token was sent', async target => {
    const without = await search(target, { authorization: '' })
    expect.problem(without, 401, 'unauthorized')
    expect.header(without, 'www-authenticate', /^Bearer realm="natter"$/)
    for (const authorization of [`Bearer ${unknownToken}`, 'Bearer garbage']) {
      const unknown = await search(target, { authorization })
      expect.problem(unknown, 401, 'unauthorized')
      expect.header(unknown, 'www-authenticate', /^Bearer realm="natter", error="invalid_token"$/)
    }
  }),
  ours('responses', 'no organization endpoint accepts a contact token', async target => {
    const token = await target.newToken((await target.newContact()).id)
    for (const [method, path, options] of endpoints)
      expect.problem(
        await target.request(method, path, { ...options, authorization: `Bearer ${token}` }),
        403,
        'insufficient_scope',
      )
  }),
  ours('responses', 'another bot is answered like an unknown contact, but for the request id', async target => {
    const id = (await target.newContact()).id
    const replies = [
      await target.requestAnywhere('GET', `/v1/bots/${unknownId}/contacts/${id}`),
      await target.requestAnywhere('GET', `/v1/bots/x/contacts/${id}`),
      await target.request('GET', `/contacts/${unknownId}`),
      await target.request('GET', '/contacts/x'),
    ]
    for (const reply of replies) expect.problem(reply, 404, 'not_found')
    const bodies = new Set(
      replies.map(({ text, headers }) => text.replaceAll(headers.get('x-request-id') ?? 'none', 'ID')),
    )
    expect.that(bodies.size === 1, 'one and the same body', [...bodies].join(' and '))
  }),
]
