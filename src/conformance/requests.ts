import {
  bodyOf,
  dataOf,
  expectEqual,
  expectHeader,
  expectProblem,
  expectStatus,
  expectSuccess,
  expectThat,
  type Fields,
} from './reply.ts'
import { ours, type Rule, spec } from './rule.ts'

const json = { 'content-type': 'application/json' }
const plain = { 'content-type': 'text/plain' }
const unknownId = '00000000-0000-7000-8000-000000000000'
const tooLarge = 'x'.repeat(33 * 1024)

/** Bodies, errors and their order. */
export const requestRules: Rule[] = [
  spec('1', 'the body of a success is JSON with its payload in data', async target => {
    const { id } = await target.newContact()
    for (const reply of [
      await target.request('GET', `/contacts/${id}`),
      await target.request('POST', '/contacts?limit=1'),
    ]) {
      expectSuccess(reply)
      expectHeader(reply, 'content-type', /^application\/json\b/)
      expectThat('data' in bodyOf(reply), 'a property "data"', reply)
    }
  }),
  ours('requests', 'a request has the same effect as JSON, urlencoded or multipart', async target => {
    for (const kind of ['json', 'form', 'multipart'] as const) {
      const fields = { name: 'Ada', email: target.freshEmail(), wid: '+4712345678' }
      const created = await target.request('PUT', '/contacts', { [kind]: fields })
      expectStatus(created, 201)
      const { id, name, email, wid } = dataOf(created)
      expectEqual('the contact', { name, email, wid }, fields)
      expectStatus(await target.request('PATCH', `/contacts/${id}`, { [kind]: { name: 'Ada King' } }), 200)
      expectEqual('the name', dataOf(await target.request('GET', `/contacts/${id}`))['name'], 'Ada King')
      expectStatus(await target.request('PUT', '/auth/contacts', { [kind]: { email: fields.email } }), 201)
    }
  }),
  ours('requests', 'an empty body with a JSON content type counts as no body, for every method', async target => {
    const { id } = await target.newContact()
    expectStatus(await target.request('GET', `/contacts/${id}`, { headers: json }), 200)
    expectStatus(await target.request('POST', '/contacts?limit=1', { headers: json }), 200)
    expectProblem(await target.request('PUT', '/contacts', { headers: json }), 400, 'invalid_request', '/name')
    expectStatus(await target.request('DELETE', `/contacts/${id}`, { headers: json }), 204)
  }),
  ours('responses', 'invalid JSON returns malformed_body, and another content type 415', async target => {
    for (const body of ['{', 'x', '{"name":}', '\u0000'])
      expectProblem(await target.request('PUT', '/contacts', { body, headers: json }), 400, 'malformed_body')
    const typed = await target.request('PUT', '/contacts', { body: '{}', headers: plain })
    expectProblem(typed, 415, 'unsupported_media_type')
  }),
  ours('requests', 'JSON other than an object returns 400', async target => {
    const { id } = await target.newContact()
    for (const body of ['[]', '"x"', '1', 'null'])
      for (const [method, path] of [
        ['PUT', '/contacts'],
        ['PATCH', `/contacts/${id}`],
      ] as const)
        expectProblem(await target.request(method, path, { body, headers: json }), 400, 'invalid_request', '')
  }),
  ours('requests', 'a body over 32 KiB returns 413', async target => {
    const reply = await target.request('PUT', '/contacts', { body: JSON.stringify({ name: tooLarge }), headers: json })
    expectProblem(reply, 413, 'body_too_large')
  }),
  ours('requests', 'headers over 16 KiB return 431', async target => {
    const reply = await target.request('POST', '/contacts?limit=1', { headers: { 'x-filler': 'x'.repeat(17_000) } })
    expectProblem(reply, 431, 'headers_too_large')
  }),
  ours('responses', 'errors are problems of RFC 9457 with the request id as instance', async target => {
    const reply = await target.request('PUT', '/contacts', { json: { name: 'x' } })
    expectHeader(reply, 'content-type', /^application\/problem\+json\b/)
    const problem = expectProblem(reply, 400, 'invalid_request', '/email')
    expectEqual('type', problem['type'], 'urn:natter:problem:invalid_request')
    expectEqual('status', problem['status'], 400)
    expectEqual('instance', problem['instance'], `urn:natter:request:${reply.headers.get('x-request-id')}`)
    for (const name of ['title', 'detail']) expectThat(typeof problem[name] === 'string', `a text in ${name}`, reply)
    const [error] = problem['errors'] as Fields[]
    expectEqual('the fields of an error', Object.keys(error ?? {}).sort(), ['code', 'detail', 'pointer'])
  }),
  ours('responses', 'an unknown path returns 404, and a wrong method 405 with Allow', async target => {
    for (const path of ['/', '/v1', '/v1/nothing', `/v1/bots/${target.botId}`, `/v1/bots/${target.botId}/contacts/x/y`])
      expectProblem(await target.requestAnywhere('GET', path), 404, 'not_found')
    const reply = await target.request('DELETE', '/contacts')
    expectProblem(reply, 405, 'method_not_allowed')
    const allowed = (reply.headers.get('allow') ?? '').split(/, */).sort()
    expectEqual('Allow', allowed, ['GET', 'HEAD', 'PATCH', 'POST', 'PUT'])
  }),
  ours(
    'requests',
    'errors take precedence in this order: size, path, method, browser, token, scope, bot, type, content',
    async target => {
      const foreign = `/v1/bots/${unknownId}/contacts`
      const authorization = ''
      const headers = { ...plain, origin: 'https://shop.example' }
      const body = 'x'
      const contact = await target.newContact()
      const contactToken = `Bearer ${await target.newToken(contact.id)}`
      const large = { headers, body: tooLarge, authorization }
      expectProblem(await target.requestAnywhere('PUT', '/v1/nothing', large), 413, 'body_too_large')
      expectProblem(await target.requestAnywhere('PUT', '/v1/nothing', { headers, authorization }), 404, 'not_found')
      expectProblem(
        await target.requestAnywhere('DELETE', foreign, { headers, authorization }),
        405,
        'method_not_allowed',
      )
      const browser = await target.requestAnywhere('PUT', foreign, { headers, body, authorization })
      expectProblem(browser, 403, 'organization_token_in_browser')
      expectProblem(
        await target.requestAnywhere('PUT', foreign, { headers: plain, body, authorization }),
        401,
        'unauthorized',
      )
      const scope = await target.requestAnywhere('PUT', foreign, { headers: plain, body, authorization: contactToken })
      expectProblem(scope, 403, 'insufficient_scope')
      expectProblem(await target.requestAnywhere('PUT', foreign, { headers: plain, body }), 404, 'not_found')
      expectProblem(await target.request('PUT', '/contacts', { headers: plain, body }), 415, 'unsupported_media_type')
      expectProblem(await target.request('PUT', '/contacts', { headers: json, body }), 400, 'malformed_body')
    },
  ),
  ours('responses', 'a response never repeats a token that was sent', async target => {
    const token = `c:${'5'.repeat(64)}`
    for (const reply of [
      await target.request('GET', '/widget/session', { authorization: `Bearer ${token}` }),
      await target.request('PATCH', `/auth/contacts/${token}`),
      await target.request('PUT', '/contacts', { json: { name: token, email: token } }),
    ])
      expectThat(!reply.text.includes('5'.repeat(16)), 'an answer without the token', `${reply.status} with it`)
  }),
  ours('responses', 'anyone can read the OpenAPI document at /v1/openapi.json', async target => {
    const reply = await target.requestAnywhere('GET', '/v1/openapi.json', { authorization: '' })
    expectStatus(reply, 200)
    expectThat(String(bodyOf(reply)['openapi']).startsWith('3.1'), 'an OpenAPI 3.1 document', reply)
  }),
]
