import { describe, expect, it } from 'vitest'
import { createApi } from './api.ts'

/** The API of Nora's page, whose platform gives this answer. */
function setUp(answer: () => Response, memberId: () => string | null | undefined = () => 'nora') {
  const requests: { url: string; init: RequestInit }[] = []
  let signedOut = 0
  const api = createApi({
    memberId,
    onSignedOut: () => void signedOut++,
    fetch: async (url, init) => {
      requests.push({ url: String(url), init: init ?? {} })
      return answer()
    },
  })
  return { api, requests, signedOut: () => signedOut }
}

const problem = (status: number, code: string) => Response.json({ code, detail: 'Because.' }, { status })

describe('the API', () => {
  it('sends JSON and resolves to the JSON of the answer', async () => {
    const { api, requests } = setUp(() => Response.json({ data: { id: 'a' } }))
    expect(await api.post<'claim'>('/conversations/a/claim', { from: null })).toEqual({ data: { id: 'a' } })
    expect(requests[0]).toMatchObject({
      url: '/desk/api/conversations/a/claim',
      init: { method: 'POST', body: '{"from":null}', headers: { 'Content-Type': 'application/json' } },
    })
  })

  it('names the member whose page it is in each request, once somebody has signed in', async () => {
    const { api, requests } = setUp(() => Response.json({ data: {} }))
    await api.get<'countDeskConversations'>('/counts')
    await api.post<'reply'>('/conversations/a/messages', { id: 'a', text: 'Hello', knownSeq: 1 })
    await api.upload('/conversations/a/attachments/b', new Blob(['a file']))
    for (const { init } of requests) expect(init.headers).toMatchObject({ 'Natter-Member': 'nora' })
    const before = setUp(
      () => Response.json({ data: {} }),
      () => undefined,
    )
    await before.api.get<'retrieveDeskSession'>('/session')
    expect(before.requests[0]?.init.headers).toEqual({})
  })

  it('sends nothing once the session of its page has ended', async () => {
    const { api, requests } = setUp(
      () => Response.json({ data: {} }),
      () => null,
    )
    const keeping = api.put<'keepDraft'>('/conversations/a/draft', { reply: 'Half a sen' })
    await expect(keeping).rejects.toMatchObject({ status: 401 })
    expect(requests).toEqual([])
  })

  it('lets a draft reach the platform although the page is closed', async () => {
    const { api, requests } = setUp(() => new Response(null, { status: 204 }))
    await api.put<'keepDraft'>('/conversations/a/draft', { reply: 'Half a sen' })
    expect(requests[0]?.init.keepalive).toBe(true)
  })

  it('leaves out parameters without a value', async () => {
    const { api, requests } = setUp(() => Response.json({ data: [], next: null }))
    await api.get<'listDeskConversations'>('/conversations', { view: 'mine', after: null, bot: undefined })
    expect(requests[0]?.url).toBe('/desk/api/conversations?view=mine')
  })

  it('rejects with the code and the detail of the platform', async () => {
    const { api, signedOut } = setUp(() => problem(409, 'claimed_by_other'))
    await expect(api.post<'close'>('/conversations/a/close', { knownSeq: 1 })).rejects.toMatchObject({
      name: 'ApiError',
      status: 409,
      code: 'claimed_by_other',
      message: 'Because.',
    })
    expect(signedOut()).toBe(0)
  })

  it('says when nobody is signed in', async () => {
    const { api, signedOut } = setUp(() => problem(401, 'unauthorized'))
    await expect(api.get<'retrieveDeskSession'>('/session')).rejects.toMatchObject({ status: 401 })
    expect(signedOut()).toBe(1)
  })

  it('rejects with `unreachable` if there is no answer, and copes with one that is not JSON', async () => {
    const lost = setUp(() => {
      throw new TypeError('Failed to fetch')
    })
    await expect(lost.api.get<'retrieveDeskSession'>('/session')).rejects.toMatchObject({
      status: 0,
      code: 'unreachable',
      cause: expect.any(TypeError),
    })
    const proxy = setUp(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
    await expect(proxy.api.get<'retrieveDeskSession'>('/session')).rejects.toMatchObject({ code: 'unavailable' })
  })
})
