import { beforeEach, describe, expect, it, vi } from 'vitest'
import { maxAttachments as platformLimit } from '../../../contract/index.ts'
import { settle } from '../../testing/fakeClock.ts'
import { problem } from '../../testing/fakePlatform.ts'
import { deletedFile, filesOf, signIn, textFile } from '../../testing/fileFixtures.ts'
import { adaToken } from '../../testing/fixtures.ts'
import { maxAttachments } from './attachments.ts'

describe('files in the composer', () => {
  it('are uploaded at once, and sent with the message', async () => {
    const { model, said, send, states, uploads } = await signIn()
    model.add([textFile('a.txt'), textFile('b.txt')])
    await settle()
    expect([states(), uploads().length]).toEqual([['uploaded', 'uploaded'], 2])
    send('See these')
    await settle()
    expect(said(adaToken).at(-1)).toMatchObject({ text: 'See these' })
    expect(filesOf(said(adaToken))).toEqual(['a.txt', 'b.txt'])
    expect([model.draft.value, uploads().length]).toEqual([[], 2])
  })

  it('are sent as a list where a library has given arrays a toJSON() of its own', async () => {
    const { platform, model, send } = await signIn()
    model.add([textFile('a.txt')])
    await settle()
    let body = ''
    platform.intercept = (_, path, init) => {
      if (path === '/messages') body = `${init.body}`
      return undefined
    }
    Object.assign(Array.prototype, { toJSON: () => 'a string' })
    send('See this')
    await settle()
    Reflect.deleteProperty(Array.prototype, 'toJSON')
    expect(JSON.parse(body).attachments).toHaveLength(1)
  })

  it('can be sent without a text', async () => {
    const { model, said, send } = await signIn()
    model.add([textFile('a.txt')])
    send('')
    await settle()
    expect(said(adaToken).at(-1)).toMatchObject({ text: '', attachments: [{ name: 'a.txt' }] })
  })

  it('keep the message waiting until they are uploaded, and later messages behind it', async () => {
    const { platform, conversation, model, said, send, browser } = await signIn()
    platform.intercept = method => (method === 'PUT' ? problem(503, 'unavailable') : undefined)
    model.add([textFile('a.txt')])
    send('First')
    conversation.outbox.send('Second')
    await settle()
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
    expect(conversation.outbox.pending.value.map(({ status }) => status)).toEqual(['waiting', 'waiting'])
    platform.intercept = () => undefined
    await browser.clock.advance(5000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'First', 'Second'])
  })

  it.each([
    [413, 'body_too_large', {}, 'tooLarge'],
    [415, 'file_refused', {}, 'refused'],
    [403, 'attachments_off', {}, 'refused'],
    [429, 'rate_limited', { 'retry-after': '40000' }, 'full'],
  ])('say why the platform refuses them: %i %s', async (status, code, headers, expected) => {
    const { platform, model, uploads, states } = await signIn()
    platform.intercept = method =>
      method === 'PUT' ? problem(status, code, headers as Record<string, string>) : undefined
    model.add([textFile('a.txt')])
    await settle()
    expect(model.ended.value).toMatchObject({ file: { name: 'a.txt' }, state: { kind: 'failed', problem: expected } })
    expect([uploads().length, model.draftStatus.value, states()]).toEqual([1, 'failed', ['failed']])
    model.remove(model.draft.value[0]?.id ?? '')
    expect([model.draftStatus.value, model.ended.value]).toEqual(['empty', null])
  })

  it('are tried again when the platform limits the rate for a moment', async () => {
    const { platform, model, browser, states } = await signIn()
    platform.intercept = method =>
      method === 'PUT' ? problem(429, 'rate_limited', { 'retry-after': '20' }) : undefined
    model.add([textFile('a.txt')])
    await settle()
    expect(states()).toEqual(['waiting'])
    platform.intercept = () => undefined
    await browser.clock.advance(21_000)
    expect(states()).toEqual(['uploaded'])
  })

  it('above 10 MiB are refused without a request, and those beyond five are not taken', async () => {
    const { model, uploads, states } = await signIn()
    model.add([textFile('large.txt', 'x'.repeat(10 * 1024 * 1024 + 1))])
    await settle()
    expect([uploads().length, model.ended.value?.state]).toEqual([0, { kind: 'failed', problem: 'tooLarge' }])
    model.add([1, 2, 3, 4, 5].map(number => textFile(`${number}.txt`)))
    expect([model.refusals.value, states().length, maxAttachments]).toEqual([['tooMany'], 5, platformLimit])
    model.add([textFile('6.txt')], true)
    expect(model.refusals.value).toEqual(['folder', 'tooMany'])
  })

  it('say that they are empty, and that folders are not taken', async () => {
    const { model, uploads } = await signIn()
    model.add([textFile('empty.txt', '')], true)
    await settle()
    expect([uploads().length, model.ended.value?.state]).toEqual([0, { kind: 'failed', problem: 'empty' }])
    expect(model.refusals.value).toEqual(['folder'])
    model.remove(model.draft.value[0]?.id ?? '')
    expect(model.refusals.value).toEqual([])
  })

  it('that are removed are cancelled', async () => {
    const { platform, model, said, send } = await signIn()
    let wasAborted = false
    platform.intercept = (method, _, { signal }) => {
      if (method !== 'PUT') return undefined
      signal?.addEventListener('abort', () => {
        wasAborted = true
      })
      return new Promise(() => {})
    }
    model.add([textFile('a.txt')])
    await settle()
    model.remove(model.draft.value[0]?.id ?? '')
    platform.intercept = () => undefined
    model.add([textFile('b.txt')])
    await settle()
    send('Only b')
    await settle()
    expect([wasAborted, filesOf(said(adaToken))]).toEqual([true, ['b.txt']])
  })

  it('that cannot be read fail at once, without a word about the network, and later messages are sent', async () => {
    const { model, said, send, states, conversation } = await signIn()
    model.add([await deletedFile('gone.txt')])
    await vi.waitFor(() => expect(states()).toEqual(['failed']), 15_000)
    expect(model.ended.value?.state).toEqual({ kind: 'failed', problem: 'missing' })
    expect(conversation.connection.value).toBe('live')
    send('With a file that is gone')
    conversation.outbox.send('Without')
    await vi.waitFor(() => expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'Without']), 15_000)
    expect(conversation.outbox.pending.value).toMatchObject([{ status: 'failed', failure: 'rejected' }])
  })

  it('that are removed are deleted on the platform, where they would count for the limits of the day', async () => {
    const { platform, model, states, browser } = await signIn()
    const deletions = () => platform.log.filter(({ method }) => method === 'DELETE')
    model.add([textFile('a.txt')])
    await settle()
    expect([states(), platform.files.stored.size]).toEqual([['uploaded'], 1])
    model.remove(model.draft.value[0]?.id ?? '')
    await settle()
    expect([platform.files.stored.size, deletions().length]).toEqual([0, 1])
    // It is not repeated.
    platform.intercept = method => (method === 'DELETE' ? problem(503, 'unavailable') : undefined)
    model.add([textFile('b.txt')])
    await settle()
    model.remove(model.draft.value[0]?.id ?? '')
    await browser.clock.advance(60_000)
    expect(deletions()).toHaveLength(2)
    // Nothing of this one has been sent.
    model.add([textFile('empty.txt', '')])
    await settle()
    model.remove(model.draft.value[0]?.id ?? '')
    await settle()
    expect(deletions()).toHaveLength(2)
  })

  it('fail after some minutes of an outage, and can be tried again', async () => {
    const { platform, model, browser, states } = await signIn()
    platform.intercept = method => (method === 'PUT' ? problem(503, 'unavailable') : undefined)
    model.add([textFile('a.txt')])
    await browser.clock.advance(600_000)
    expect(model.ended.value?.state).toEqual({ kind: 'failed', problem: 'network' })
    platform.intercept = () => undefined
    model.retry(model.draft.value[0]?.id ?? '')
    await settle()
    expect(states()).toEqual(['uploaded'])
  })
})

describe('the file of a stored message', () => {
  const bytes = new TextEncoder().encode('Dear Ada')
  let acme: Awaited<ReturnType<typeof signIn>>
  let file: { id: string; size: number }
  beforeEach(async () => {
    acme = await signIn()
    file = acme.platform.files.add('file-1', 'letter.txt', bytes)
  })
  const answerWith = (nonce: string) => new Response(bytes, { headers: { 'natter-nonce': nonce } })
  const downloads = () => acme.platform.log.filter(({ path }) => path === '/attachments/file-1/download').length

  it('is fetched once with the token', async () => {
    const { model } = acme
    const [first, second] = await Promise.all([model.load(file), model.load(file)])
    expect([await first?.text(), second === first, downloads()]).toEqual(['Dear Ada', true, 1])
    expect(acme.platform.log.at(-1)?.token).toBe(adaToken)
  })

  it.each([9, 7])('of another size is not used: %i bytes', async size => {
    const loading = acme.model.load({ ...file, size })
    await acme.browser.clock.advance(60_000)
    expect(await loading).toBeUndefined()
  })

  it('is not used if the answer belongs to another request', async () => {
    acme.platform.intercept = (_, path) =>
      path.startsWith('/attachments/') ? answerWith('another-nonce-than-ours') : undefined
    const loading = acme.model.load(file)
    await acme.browser.clock.advance(60_000)
    expect([await loading, downloads()]).toEqual([undefined, 3])
  })

  it('waits for its turn if the platform sends the visitor enough files already', async () => {
    let refusals = 5
    acme.platform.intercept = (_, path) =>
      path.startsWith('/attachments/') && refusals-- > 0
        ? problem(503, 'unavailable', { 'retry-after': '2' })
        : undefined
    const loading = acme.model.load(file)
    await acme.browser.clock.advance(60_000)
    expect(await (await loading)?.text()).toBe('Dear Ada')
  })

  it('that the platform refuses is not requested again', async () => {
    const loading = acme.model.load({ ...file, id: 'removed' })
    await acme.browser.clock.advance(60_000)
    expect(await loading).toBeUndefined()
    expect(acme.platform.log.filter(({ path }) => path === '/attachments/removed/download')).toHaveLength(1)
  })

  it('that arrives after a logout is dropped', async () => {
    let respond = () => {}
    acme.platform.intercept = (_, path, { body }) =>
      path.startsWith('/attachments/')
        ? new Promise(resolve => {
            respond = () => resolve(answerWith((JSON.parse(String(body)) as { nonce: string }).nonce))
          })
        : undefined
    const loading = acme.model.load(file)
    await settle()
    await acme.tab.core.logout()
    respond()
    expect(await loading).toBeUndefined()
  })
})
