import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { type CallOptions, createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

const tenants = await createTestTenants()
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
  const { bot, organizationToken } = tenants.ours
  const init = { method, headers: { authorization: organizationToken, ...json }, body, duplex: 'half' }
  return tenants.platform.fetch(new Request(`http://natter.test/v1/bots/${bot.id}/contacts`, init))
}
async function errorsOf(response: Response): Promise<{ pointer: string; code: string; detail: string }[]> {
  const { errors } = (await response.json()) as { errors: { pointer: string; code: string; detail: string }[] }
  return errors
}

describe('parseRequest: bodies', () => {
  it('answers 408 to a body that has not arrived by the deadline, and logs no error', async () => {
    const pending = sendStream('PUT', new ReadableStream())
    for (let round = 0; round < 20; round++) await new Promise(setImmediate)
    tenants.clock.advance(5_000)
    const answer = await pending
    expect(answer.headers.get('connection')).toBe('close')
    expect(await outcomeOf(answer)).toBe('408 request_timeout')
    expect(tenants.lines.filter(line => /"level":[456]0/.test(line))).toEqual([])
  })

  it('refuses a filter in the body of a search, which would find everybody, and ignores any other body', async () => {
    const search = (options: CallOptions) => tenants.ours.call('POST', '/contacts', options)
    const multipart = new FormData()
    multipart.set('email', mail())
    const filters = [{ form: { email: mail() } }, { form: { id: '' } }, { json: { query: 'zzz' } }, { body: multipart }]
    for (const options of filters) expect(await outcomeOf(search(options))).toBe('400 invalid_request')
    expect(await errorsOf(await search({ form: { query: 'zzz' } }))).toEqual([
      { pointer: '/query', code: 'unknown', detail: 'Send query or email in the query string.' },
    ])
    for (const options of [{ json: {} }, { json: { other: 'x' } }, { form: { other: 'x' } }, { body: 'null' }])
      expect((await search(options)).status).toBe(200)
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

  it('reads UTF-8 only, with a byte order mark or not: refuses a charset that would change the text', async () => {
    const outcome = async (type: string, text: string, encoding: BufferEncoding = 'utf8') => {
      const body = new Uint8Array(Buffer.from(text.replace('MAIL', mail()), encoding))
      return outcomeOf(create({ headers: { 'content-type': type }, body }))
    }
    const ada = '{"name":"Ada","email":"MAIL"}'
    const ase = '{"name":"Åse","email":"MAIL"}'
    const refused = '415 unsupported_media_type'
    for (const charset of ['utf-16', '"UTF-16LE"', 'utf-32', 'shift_jis', 'x'])
      expect(await outcome(`application/json; charset=${charset}`, ada), charset).toBe(refused)
    for (const charset of ['utf-8', '"UTF8"', 'iso-8859-1', 'us-ascii', 'windows-1252'])
      expect(await outcome(`application/json;charset=${charset}`, ada), charset).toBe('201')
    expect(await outcome('Application/JSON; charset=utf-8', `\ufeff${ase}`)).toBe('201')
    for (const encoding of ['utf8', 'latin1'] as const)
      expect(await outcome('application/json; charset=iso-8859-1', ase, encoding)).toBe(refused)
    expect(await outcome('application/x-www-form-urlencoded; charset=UTF-16', 'name=Ada&email=MAIL')).toBe(refused)
    expect(await outcome('', ada)).toBe(refused)
  })

  it('refuses invalid JSON, UTF-8 and multipart, without quoting it', async () => {
    const boundary = { 'content-type': 'multipart/form-data; boundary=x' }
    const part = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const secret = 'a'.repeat(64)
    const malformed: [headers: Record<string, string>, body: string][] = [
      [json, `{"token":"c:${secret}"`],
      [json, `{"name":"Ren\xe9 ${secret}","email":"${mail()}"}`],
      [urlencoded, `name=Ren\xe9 ${secret}&email=${mail()}`],
      [boundary, `${part('name', `Ren\xe9 ${secret}`)}${part('email', mail())}--x--\r\n`],
      [boundary, 'nothing of that kind'],
      [{ 'content-type': 'multipart/form-data' }, '--x'],
    ]
    for (const [headers, text] of malformed) {
      const response = await create({ headers, body: Buffer.from(text, 'latin1') })
      expect(await response.clone().text()).not.toContain(secret.slice(0, 20))
      expect(await outcomeOf(response)).toBe('400 malformed_body')
    }
    expect(await outcomeOf(create({ headers: urlencoded, body: 'name=%ff' }))).toBe('400 invalid_request')
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

  it('refuses a large body by its nesting or its number of values before it parses it', async () => {
    const upsert = (body: string) => tenants.ours.call('PATCH', '/contacts', { headers: json, body })
    const ignored = (text: string) => `{"data":[],"x":${text}}`
    for (const body of [
      '['.repeat(4e6),
      `{"data":[${'{"name":'.repeat(1e5)}1${'}'.repeat(1e5)}]}`,
      ignored(`${'['.repeat(101)}${']'.repeat(101)},"y":"${' '.repeat(40_000)}"`),
      ignored(`[${'[],'.repeat(30_001)}1]`),
      ignored(`{${Array.from({ length: 20_000 }, (_, index) => `"${index}":0`).join(',')}}`),
    ])
      expect(await outcomeOf(upsert(body))).toBe('400 malformed_body')
    // Inside of a string, after quotes and backslashes too, nothing counts.
    const text = JSON.stringify(`\\"[{,:${'[{,:\\"'.repeat(10_000)}\\`)
    expect(await outcomeOf(upsert(ignored(text)))).toBe('200')
    const depth = 90
    const nested = `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`
    expect(await outcomeOf(upsert(ignored(`[${nested},"${' '.repeat(40_000)}"]`)))).toBe('200')
  })

  it('refuses a compressed body with 415, and accepts the encoding identity', async () => {
    const headers = { ...json, 'content-encoding': 'gzip' }
    const response = await create({ headers, body: Buffer.from([0x1f, 0x8b, 8, 0]) })
    expect(await outcomeOf(response)).toBe('415 unsupported_media_type')
    const [plain, body] = [{ ...json, 'content-encoding': 'identity' }, JSON.stringify({ name: 'Ada', email: mail() })]
    expect(await outcomeOf(create({ headers: plain, body }))).toBe('201')
  })

  it('answers 400 to a body that breaks off', async () => {
    const broken = new ReadableStream({ pull: controller => controller.error(new Error('ECONNRESET')) })
    expect(await outcomeOf(sendStream('PUT', broken))).toBe('400 malformed_body')
  })

  it('accepts 32 KiB per body and 4 MiB for upsert, counted while it arrives', async () => {
    const kilobyte = new TextEncoder().encode(' '.repeat(1024))
    expect(await outcomeOf(sendStream('PUT', stream(kilobyte, 32)))).toBe('400 invalid_request')
    expect(await outcomeOf(sendStream('PUT', stream(kilobyte, 33)))).toBe('413 body_too_large')
    expect(await outcomeOf(sendStream('PATCH', stream(kilobyte, 4096)))).toBe('400 invalid_request')
    const endless = stream(kilobyte, Number.POSITIVE_INFINITY)
    expect(await outcomeOf(sendStream('PATCH', endless))).toBe('413 body_too_large')
    // A search has no body, so no large one either.
    expect(await outcomeOf(sendStream('POST', stream(kilobyte, 33)))).toBe('413 body_too_large')
  })
})

describe('parseRequest: queries', () => {
  const search = (query: string) => tenants.ours.call('POST', `/contacts?${query}`)

  it('take a % that encodes nothing for itself', async () => {
    const { id } = await tenants.ours.createContact({ name: '100% "Åse" Lund' })
    for (const query of ['100% "Åse"', '100%25+%22%C3%85se'])
      expect(await dataOf(search(`query=${query}`))).toMatchObject([{ id }])
  })

  it('refuse invalid UTF-8 and numbers of another form', async () => {
    for (const query of ['query=%ff', 'page=01', 'limit=NaN', 'page=1000000000000000'])
      expect(await outcomeOf(search(query))).toBe('400 invalid_request')
    for (const query of ['limit=100', 'page=999999999999999']) expect(await outcomeOf(search(query))).toBe('200')
  })
})
