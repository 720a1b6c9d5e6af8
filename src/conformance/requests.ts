import * as expect from './expect.ts'
import { bodyOf, dataOf, type Fields } from './reply.ts'
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
      expect.success(reply)
      expect.header(reply, 'content-type', /^application\/json\b/)
      expect.that('data' in bodyOf(reply), 'a property "data"', reply)
    }
  }),
  ours('requests', 'a request has the same effect as JSON, urlencoded or multipart', async target => {
    for (const kind of ['json', 'form', 'multipart'] as const) {
      const fields = { name: 'Ada', email: target.freshEmail(), wid: '+4712345678' }
      const created = await target.request('PUT', '/contacts', { [kind]: fields })
      expect.status(created, 201)
      const { id, name, email, wid } = dataOf(created)
      expect.equal('the contact', { name, email, wid }, fields)
      expect.status(await target.request('PATCH', `/contacts/${id}`, { [kind]: { name: 'Ada King' } }), 200)
      expect.equal('the name', dataOf(await target.request('GET', `/contacts/${id}`))['name'], 'Ada King')
      expect.status(await target.request('PUT', '/auth/contacts', { [kind]: { email: fields.email } }), 201)
    }
  }),
  ours('requests', 'an empty body with a JSON content type counts as no body, for every method', async target => {
    const { id } = await target.newContact()
    expect.status(await target.request('GET', `/contacts/${id}`, { headers: json }), 200)
    expect.status(await target.request('POST', '/contacts?limit=1', { headers: json }), 200)
    expect.invalid(await target.request('PUT', '/contacts', { headers: json }), '/name')
    expect.status(await target.request('DELETE', `/contacts/${id}`, { headers: json }), 204)
  }),
  ours('responses', 'invalid JSON returns malformed_body, and another content type 415', async target => {
    for (const body of ['{', 'x', '{"name":}', '\u0000'])
      expect.problem(await target.request('PUT', '/contacts', { body, headers: json }), 400, 'malformed_body')
    const typed = await target.request('PUT', '/contacts', { body: '{}', headers: plain })
    expect.problem(typed, 415, 'unsupported_media_type')
  }),
  ours('requests', 'JSON other than an object returns 400', async target => {
    const { id } = await target.newContact()
    for (const body of ['[]', '"x"', '1', 'null'])
      for (const [method, path] of [
        ['PUT', '/contacts'],
        ['PATCH', `/contacts/${id}`],
      ] as const)
        expect.invalid(await target.request(method, path, { body, headers: json }), '')
  }),
  ours('requests', 'a body over 32 KiB returns 413', async target => {
    const reply = await target.request('PUT', '/contacts', { body: JSON.stringify({ name: tooLarge }), headers: json })
    expect.problem(reply, 413, 'body_too_large')
  }),
  ours('requests', 'headers over 16 KiB return 431', async target => {
    const reply = await target.request('POST', '/contacts?limit=1', { headers: { 'x-filler': 'x'.repeat(17_000) } })
    expect.problem(reply, 431, 'headers_too_large')
  }),
  ours('responses', 'errors are problems of RFC 9457 with the request id as instance', async target => {
    const reply = await target.request('PUT', '/contacts', { json: { name: 'x' } })
    expect.header(reply, 'content-type', /^application\/problem\+json\b/)
    const problem = expect.invalid(reply, '/email')
    expect.equal('type', problem['type'], 'urn:natter:problem:invalid_request')
    expect.equal('status', problem['status'], 400)
    expect.equal('instance', problem['instance'], `urn:natter:request:${reply.headers.get('x-request-id')}`)
    for (const name of ['title', 'detail']) expect.that(typeof problem[name] === 'string', `a text in ${name}`, reply)
    const [error] = problem['errors'] as Fields[]
    expect.equal('the fields of an error', Object.keys(error ?? {}).sort(), ['code', 'detail', 'pointer'])
  }),
  ours('responses', 'an unknown path returns 404, and a wrong method 405 with Allow', async target => {
    for (const path of ['/', '/v1', '/v1/nothing', `/v1/bots/${target.botId}`, `/v1/bots/${target.botId}/contacts/x/y`])
      expect.problem(await target.requestAnywhere('GET', path), 404, 'not_found')
    const reply = await target.request('DELETE', '/contacts')
    expect.problem(reply, 405, 'method_not_allowed')
    const allowed = (reply.headers.get('allow') ?? '').split(/, */).sort()
    expect.equal('Allow', allowed, ['GET', 'HEAD', 'PATCH', 'POST', 'PUT'])
  }),
  ours('requests', 'errors go by size, path, method, browser, token, scope, bot, type, then content', async target => {
    const foreign = `/v1/bots/${unknownId}/contacts`
    const authorization = ''
    const headers = { ...plain, origin: 'https://shop.example' }
    const body = 'x'
    const contact = await target.newContact()
    const contactToken = `Bearer ${await target.newToken(contact.id)}`
    const large = { headers, body: tooLarge, authorization }
    expect.problem(await target.requestAnywhere('PUT', '/v1/nothing', large), 413, 'body_too_large')
    expect.problem(await target.requestAnywhere('PUT', '/v1/nothing', { headers, authorization }), 404, 'not_found')
    expect.problem(
      await target.requestAnywhere('DELETE', foreign, { headers, authorization }),
      405,
      'method_not_allowed',
    )
    const browser = await target.requestAnywhere('PUT', foreign, { headers, body, authorization })
    expect.problem(browser, 403, 'organization_token_in_browser')
    expect.problem(
      await target.requestAnywhere('PUT', foreign, { headers: plain, body, authorization }),
      401,
      'unauthorized',
    )
    const scope = await target.requestAnywhere('PUT', foreign, { headers: plain, body, authorization: contactToken })
    expect.problem(scope, 403, 'insufficient_scope')
    expect.problem(await target.requestAnywhere('PUT', foreign, { headers: plain, body }), 404, 'not_found')
    expect.problem(await target.request('PUT', '/contacts', { headers: plain, body }), 415, 'unsupported_media_type')
    expect.problem(await target.request('PUT', '/contacts', { headers: json, body }), 400, 'malformed_body')
  }),
  ours('responses', 'a response never repeats a token that was sent', async target => {
    const token = `c:${'5'.repeat(64)}`
    for (const reply of [
      await target.request('GET', '/widget/session', { authorization: `Bearer ${token}` }),
      await target.request('PATCH', `/auth/contacts/${token}`),
      await target.request('PUT', '/contacts', { json: { name: token, email: token } }),
    ])
      expect.that(!reply.text.includes('5'.repeat(16)), 'an answer without the token', `${reply.status} with it`)
  }),
  ours('responses', 'anyone can read the OpenAPI document at /v1/openapi.json', async target => {
    const reply = await target.requestAnywhere('GET', '/v1/openapi.json', { authorization: '' })
    expect.status(reply, 200)
    expect.that(String(bodyOf(reply)['openapi']).startsWith('3.1'), 'an OpenAPI 3.1 document', reply)
  }),
]
