import { afterEach, expect, it, vi } from 'vitest'
import { createFakeClock } from '../testing/fakeClock.ts'
import { deletedFile } from '../testing/fileFixtures.ts'
import { createAttachmentApi } from './attachments.ts'
import { createBackoff } from './backoff.ts'
import { createRequester } from './requester.ts'

afterEach(() => vi.unstubAllGlobals())

/** A request that the test answers. */
class FakeRequest {
  static last: FakeRequest
  readonly upload: { onprogress?: (event: { loaded: number }) => void } = {}
  readonly headers: Record<string, string> = {}
  readonly answered = new Map<string, string>()
  url = ''
  body: unknown
  status = 0
  responseText = ''
  wasAborted = false
  onload = () => {}
  onerror = () => {}
  onabort = () => {}

  constructor() {
    FakeRequest.last = this
  }
  open(method: string, url: string) {
    this.url = `${method} ${url}`
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader = (name: string) => this.answered.get(name) ?? null
  send(body: unknown) {
    this.body = body
  }
  abort() {
    this.wasAborted = true
    this.onabort()
  }
  answer(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status
    this.responseText = body === undefined ? '' : JSON.stringify(body)
    for (const [name, value] of Object.entries(headers)) this.answered.set(name, value)
    this.onload()
  }
}

function setUp(blob = new Blob(['12345678'])) {
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
  vi.stubGlobal('location', { href: 'https://shop.example/cart' })
  const clock = createFakeClock()
  const [onEnded, onUnreadable] = [vi.fn(), vi.fn()]
  const backoff = createBackoff(clock)
  const request = createRequester('https://chat.example/widget', { clock, backoff, fetch, onEnded })
  const end = new AbortController()
  const credentials = { token: 'c:1', abortSignal: end.signal }
  const progress: number[] = []
  const failures: unknown[] = []
  const uploading = createAttachmentApi(request).upload(
    credentials,
    (failure, tries) => {
      failures.push(failure)
      return tries >= 1
    },
    { id: 'f', blob, onProgress: sent => progress.push(sent), onUnreadable },
  )
  return { clock, end, onEnded, onUnreadable, progress, failures, blob, uploading }
}

const upload = { id: 'f', type: 'text/plain', size: 8 }

it('an upload has the token, tells its progress, and may take as long as something arrives', async () => {
  const { clock, progress, blob, uploading } = setUp()
  const { last } = FakeRequest
  expect([last.url, last.headers, last.body]).toEqual([
    'PUT https://chat.example/widget/attachments/f',
    { authorization: 'Bearer c:1' },
    blob,
  ])
  for (const loaded of [2, 4, 8]) {
    await clock.advance(14_000)
    last.upload.onprogress?.({ loaded })
  }
  last.answer(201, { data: upload })
  expect([await uploading, progress]).toEqual([upload, [0.25, 0.5, 1]])
})

it('an upload of which nothing more is sent is aborted and sent again', async () => {
  const { clock, failures } = setUp()
  const { last } = FakeRequest
  await clock.advance(20_000)
  expect([last.wasAborted, failures, FakeRequest.last === last]).toEqual([true, [expect.anything()], false])
})

it('a refused upload tells the problem and how long to wait, and an ended session ends', async () => {
  const { failures, onEnded, uploading, clock } = setUp()
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '7' }
  FakeRequest.last.answer(429, { code: 'rate_limited' }, headers)
  await clock.advance(10_000)
  FakeRequest.last.answer(401, { code: 'token_revoked' }, headers)
  expect(await uploading).toBeUndefined()
  expect(failures).toMatchObject([
    { status: 429, transient: true, retryAfterMs: 7000, ended: null },
    { status: 401, ended: 'revoked' },
  ])
  expect(onEnded).not.toHaveBeenCalled()
})

it.each([undefined, { data: { ...upload, type: 'text/html' } }, 'null'])(
  'an answer that is none is like no answer: %j',
  async body => {
    const { failures } = setUp()
    FakeRequest.last.answer(200, body)
    await vi.waitFor(() => expect(failures).toMatchObject([{ status: 0, transient: true }]), 15_000)
  },
)

it('an upload that breaks off says whether the browser can still read the file', async () => {
  const readable = setUp()
  FakeRequest.last.onerror()
  await vi.waitFor(() => expect(readable.failures).toHaveLength(1), 15_000)
  expect(readable.onUnreadable).not.toHaveBeenCalled()
  const deleted = setUp(await deletedFile('gone.txt'))
  FakeRequest.last.onerror()
  await vi.waitFor(() => expect(deleted.failures).toHaveLength(1), 15_000)
  expect(deleted.onUnreadable).toHaveBeenCalledOnce()
})

it('an upload of a session that ends is aborted', async () => {
  const { end, uploading } = setUp()
  end.abort('Natter: the session has ended')
  expect([await uploading, FakeRequest.last.wasAborted]).toEqual([undefined, true])
})
