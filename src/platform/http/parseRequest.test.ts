import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const json = { 'content-type': 'application/json' }
const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }
const create = (options: CallOptions) => tenants.ours.call('PUT', '/contacts', options)
const mail = () => `${randomUUID()}@example.com`
const stream = (chunk: Uint8Array, times: number): ReadableStream => {
  let left = times
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(chunk)
      else controller.close()
    },
  })
}
const sendStream = (method: string, body: ReadableStream) => {
  const headers = { authorization: tenants.ours.organizationToken, ...json }
  const init = { method, headers, body, duplex: 'half' }
  return tenants.platform.fetch(new Request(`http://natter.test/v1/bots/${tenants.ours.bot.id}/contacts`, init))
}
async function errorsOf(response: Response): Promise<{ pointer: string; code: string; detail: string }[]> {
  const { errors } = (await response.json()) as { errors: { pointer: string; code: string; detail: string }[] }
  return errors
}

describe('parseRequest: bodies', () => {
  it('answers 408 to a body that has not arrived by the deadline, and logs no error', async () => {
    const own = await createTestTenants()
    const headers = { authorization: own.ours.organizationToken, ...json }
    const init = { method: 'PUT', headers, body: new ReadableStream(), duplex: 'half' }
    const answer = own.platform.fetch(new Request(`http://natter.test/v1/bots/${own.ours.bot.id}/contacts`, init))
    for (let round = 0; round < 20; round++) await new Promise(setImmediate)
    own.clock.advance(5_000)
    expect(await outcomeOf(await answer)).toBe('408 request_timeout')
    expect((await answer).headers.get('connection')).toBe('close')
    expect(own.lines.filter(line => /"level":[456]0/.test(line))).toEqual([])
    await own.close()
  })

  it('refuses a filter in the body of a search, which would find everybody, and ignores any other body', async () => {
    const search = (options: CallOptions) => tenants.ours.call('POST', '/contacts', options)
    const multipart = new FormData()
    multipart.set('email', mail())
    const filters = [{ form: { email: mail() } }, { form: { id: '' } }, { json: { query: 'zzz' } }, { body: multipart }]
    for (const options of filters) expect(await outcomeOf(await search(options))).toBe('400 invalid_request')
    expect(await errorsOf(await search({ form: { query: 'zzz' } }))).toEqual([
      { pointer: '/query', code: 'unknown', detail: 'Send query or email in the query string.' },
    ])
    for (const options of [{ json: {} }, { json: { other: 'x' } }, { form: { other: 'x' } }, { body: 'null' }])
      expect((await search(options)).status).toBe(200)
  })

  it('parses JSON, urlencoded and multipart to the same value', async () => {
    const fields = { name: 'Åse & Søn', phone: '+47 12', wid: '+4712345678', mid: 'm=1' }
    const multipart = new FormData()
    for (const [name, value] of Object.entries({ ...fields, email: mail() })) multipart.append(name, value)
    const responses = [
      await create({ json: { ...fields, email: mail() } }),
      await create({ form: { ...fields, email: mail() } }),
      await create({ body: multipart }),
    ]
    for (const response of responses) {
      expect(response.status).toBe(201)
      expect(await dataOf(response)).toMatchObject({ ...fields })
    }
  })

  it('treats an empty body of type JSON as none, on every endpoint', async () => {
    const { id } = await tenants.ours.createContact()
    const outcome = async (method: string, path: string) =>
      outcomeOf(await tenants.ours.call(method, path, { headers: json, body: '' }))
    expect(await outcome('POST', '/contacts')).toBe('200')
    expect(await outcome('PATCH', `/contacts/${id}`)).toBe('200')
    expect(await outcome('DELETE', `/auth/contacts/c:${'0'.repeat(64)}`)).toBe('204')
    expect(await outcome('DELETE', `/contacts/${id}`)).toBe('204')
    expect((await tenants.ours.call('GET', '/widget', { token: '', headers: json })).status).toBe(200)
    const missing = await create({ headers: json, body: '' })
    expect((await errorsOf(missing)).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/name missing',
      '/email missing',
    ])
  })

  it('says of an upsert that is a bare array where its entries belong', async () => {
    for (const body of [[], [{ email: mail() }]]) {
      const response = await tenants.ours.call('PATCH', '/contacts', { json: body })
      expect(response.status).toBe(400)
      expect(await errorsOf(response)).toEqual([
        { pointer: '', code: 'wrong_type', detail: 'Must be an object with the array in it: {"data": [...]}.' },
      ])
    }
  })

  it('refuses other types with 415, and form types where the specification only has JSON', async () => {
    const outcome = async (method: string, headers: Record<string, string>) =>
      outcomeOf(await tenants.ours.call(method, '/contacts', { headers, body: 'data=1' }))
    expect(await outcome('PUT', { 'content-type': 'text/plain' })).toBe('415 unsupported_media_type')
    expect(await outcome('PUT', { 'content-type': '' })).toBe('415 unsupported_media_type')
    expect(await outcome('PATCH', urlencoded)).toBe('415 unsupported_media_type')
    expect(await outcome('PUT', { 'content-type': 'Application/JSON; charset=utf-8' })).toBe('400 malformed_body')
  })

  it('reads UTF-8 only: refuses a charset that would change the text', async () => {
    const outcome = async (type: string, text: string, encoding: BufferEncoding = 'utf8') => {
      const body = new Uint8Array(Buffer.from(text.replace('MAIL', mail()), encoding))
      return outcomeOf(await create({ headers: { 'content-type': type }, body }))
    }
    const ada = '{"name":"Ada","email":"MAIL"}'
    const ase = '{"name":"Åse","email":"MAIL"}'
    const refused = '415 unsupported_media_type'
    for (const charset of ['utf-16', '"UTF-16LE"', 'utf-32', 'shift_jis', 'x'])
      expect(await outcome(`application/json; charset=${charset}`, ada), charset).toBe(refused)
    for (const charset of ['utf-8', '"UTF8"', 'iso-8859-1', 'us-ascii', 'windows-1252'])
      expect(await outcome(`application/json;charset=${charset}`, ada), charset).toBe('201')
    expect(await outcome('application/json; charset=utf-8', ase)).toBe('201')
    for (const encoding of ['utf8', 'latin1'] as const)
      expect(await outcome('application/json; charset=iso-8859-1', ase, encoding)).toBe(refused)
    expect(await outcome('application/x-www-form-urlencoded; charset=UTF-16', 'name=Ada&email=MAIL')).toBe(refused)
  })

  it('refuses invalid JSON, UTF-8 and multipart, without quoting it', async () => {
    const boundary = { 'content-type': 'multipart/form-data; boundary=x' }
    const secret = 'a'.repeat(64)
    const malformed: CallOptions[] = [
      { headers: json, body: `{"token":"c:${secret}"` },
      { headers: json, body: new Uint8Array([0x7b, 0xff, 0x7d]) },
      { headers: boundary, body: 'nothing of that kind' },
      { headers: { 'content-type': 'multipart/form-data' }, body: '--x' },
    ]
    for (const options of malformed) {
      const response = await create(options)
      const body = await response.text()
      expect(response.status).toBe(400)
      expect(body).toContain('malformed_body')
      expect(body).not.toContain(secret.slice(0, 20))
    }
    expect(await outcomeOf(await create({ headers: urlencoded, body: 'name=%ff' }))).toBe('400 invalid_request')
  })

  it('accepts only strings where the schema requires a string, with a pointer to each other value', async () => {
    for (const value of [1, true, null, [], {}, ['Ada']]) {
      const response = await create({ json: { name: value, email: 'ada@example.com' } })
      expect(await errorsOf(response)).toMatchObject([{ pointer: '/name', code: 'wrong_type' }])
    }
    for (const root of ['[]', '"x"', 'null', '1'])
      expect(await outcomeOf(await create({ headers: json, body: root }))).toBe('400 invalid_request')
  })

  it('refuses repeated form fields and files', async () => {
    const body = `name=Ada&name=Eve&email=${mail()}`
    expect(await errorsOf(await create({ headers: urlencoded, body }))).toMatchObject([
      { pointer: '/name', code: 'repeated' },
    ])
    const form = new FormData()
    form.append('name', new Blob(['Ada']), 'ada.txt')
    form.append('email', mail())
    expect(await errorsOf(await create({ body: form }))).toMatchObject([{ pointer: '/name', code: 'wrong_type' }])
  })

  it('uses the last of duplicate JSON keys, and ignores unknown keys and a byte order mark', async () => {
    const body = `\ufeff{"name":"Eve","name":"Ada","email":"${mail()}","wip":"1","__proto__":{"id":"x"},"constructor":1}`
    const data = await dataOf(await create({ headers: json, body }))
    expect(data).toMatchObject({ name: 'Ada' })
    expect(Object.keys(data as object)).toEqual([
      'id',
      'name',
      'email',
      'phone',
      'mid',
      'wid',
      'createdAt',
      'updatedAt',
    ])
    expect(({} as { id?: string }).id).toBeUndefined()
  })

  it('suggests %2B if a plus sign was decoded as a space', async () => {
    const response = await create({ headers: urlencoded, body: `name=Ada&email=${mail()}&wid=+4712345678` })
    const [error] = await errorsOf(response)
    expect(error).toMatchObject({ pointer: '/wid' })
    expect(error?.detail).toContain('%2B')
  })

  it('survives JSON that is nested a hundred thousand levels deep', async () => {
    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`
    for (const body of [
      deep,
      `{"data":${deep}}`,
      `{"data":[${'{"name":'.repeat(1e5)}1${'}'.repeat(1e5)}]}`,
      '['.repeat(1e5),
    ]) {
      const response = await tenants.ours.call('PATCH', '/contacts', { headers: json, body })
      expect(response.status).toBe(400)
    }
  })

  it('refuses a large body by its nesting or its number of values before it parses it', async () => {
    const upsert = (body: string) => tenants.ours.call('PATCH', '/contacts', { headers: json, body })
    const ignored = (text: string) => `{"data":[],"x":${text}}`
    for (const body of [
      '['.repeat(4e6),
      ignored(`${'['.repeat(101)}${']'.repeat(101)},"y":"${' '.repeat(40_000)}"`),
      ignored(`[${'[],'.repeat(30_001)}1]`),
      ignored(`{${Array.from({ length: 20_000 }, (_, index) => `"${index}":0`).join(',')}}`),
    ])
      expect(await outcomeOf(await upsert(body))).toBe('400 malformed_body')
    // Inside of a string, after quotes and backslashes too, nothing counts.
    const text = JSON.stringify(`\\"[{,:${'[{,:\\"'.repeat(10_000)}\\`)
    expect(await outcomeOf(await upsert(ignored(text)))).toBe('200')
    const depth = 90
    const nested = `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`
    expect(await outcomeOf(await upsert(ignored(`[${nested},"${' '.repeat(40_000)}"]`)))).toBe('200')
  })

  it('refuses a part that is no UTF-8 in every kind of body', async () => {
    const part = (name: string, value: string) =>
      `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const multipart = { 'content-type': 'multipart/form-data; boundary=edge' }
    const bodies: [Record<string, string>, string][] = [
      [multipart, `${part('name', 'Ren\xe9')}${part('email', mail())}--edge--\r\n`],
      [json, `{"name":"Ren\xe9","email":"${mail()}"}`],
      [urlencoded, `name=Ren\xe9&email=${mail()}`],
    ]
    for (const [headers, text] of bodies) {
      const response = await create({ headers, body: Buffer.from(text, 'latin1') })
      expect(await outcomeOf(response)).toBe('400 malformed_body')
    }
  })

  it('refuses a compressed body with 415, and accepts the encoding identity', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const response = await create({ headers, body: Buffer.from([0x1f, 0x8b, 8, 0]) })
    expect(await outcomeOf(response)).toBe('415 unsupported_media_type')
    const plain = { ...json, 'content-encoding': 'identity' }
    expect(
      await outcomeOf(await create({ headers: plain, body: JSON.stringify({ name: 'Ada', email: mail() }) })),
    ).toBe('201')
  })

  it('answers 400 to a body that breaks off', async () => {
    const broken = new ReadableStream({ pull: controller => controller.error(new Error('ECONNRESET')) })
    expect(await outcomeOf(await sendStream('PUT', broken))).toBe('400 malformed_body')
  })

  it('accepts 32 KiB per body and 4 MiB for upsert, counted while it arrives', async () => {
    const kilobyte = new TextEncoder().encode(' '.repeat(1024))
    expect(await outcomeOf(await sendStream('PUT', stream(kilobyte, 32)))).toBe('400 invalid_request')
    expect(await outcomeOf(await sendStream('PUT', stream(kilobyte, 33)))).toBe('413 body_too_large')
    expect(await outcomeOf(await sendStream('PATCH', stream(kilobyte, 4096)))).toBe('400 invalid_request')
    const endless = stream(kilobyte, Number.POSITIVE_INFINITY)
    expect(await outcomeOf(await sendStream('PATCH', endless))).toBe('413 body_too_large')
    // A search has no body, so no large one either.
    expect(await outcomeOf(await sendStream('POST', stream(kilobyte, 33)))).toBe('413 body_too_large')
  })
})

describe('parseRequest: queries', () => {
  const search = (query: string) => tenants.ours.call('POST', `/contacts?${query}`)

  it('works without percent-encoding, and with a leading ampersand', async () => {
    const { id, email } = await tenants.ours.createContact({ name: '100% "Åse" Lund' })
    for (const query of [email, `100% "Åse"`, '100%25+%22%C3%85se', ` ${id} `]) {
      const response = await search(`&query=${query}`)
      expect(await dataOf(response)).toMatchObject([{ id }])
    }
  })

  it('refuses a repeated parameter and invalid UTF-8', async () => {
    expect(await errorsOf(await search('limit=5&limit=5'))).toMatchObject([{ pointer: '/limit', code: 'repeated' }])
    expect(await outcomeOf(await search('query=%ff'))).toBe('400 invalid_request')
  })

  it('refuses pages and limits that are out of range', async () => {
    const refused = ['limit=0', 'limit=101', 'limit=-1', 'limit=NaN', 'limit=1.5', 'limit=', 'page=0', 'page=-1']
    for (const query of [...refused, 'page=1e15', 'page=01', 'page=1000000000000000', `query=${'a'.repeat(257)}`])
      expect(await outcomeOf(await search(query))).toBe('400 invalid_request')
    for (const query of ['limit=1', 'limit=100', 'page=999999999999999', `query=${'a'.repeat(256)}`])
      expect(await outcomeOf(await search(query))).toBe('200')
  })
})
