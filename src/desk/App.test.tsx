import { cleanup, render, screen } from '@testing-library/preact'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DeskSession } from '../contract/desk.ts'
import { App } from './App.tsx'
import { DeskAppContext } from './DeskContext.ts'
import { createDeskApp } from './desk.ts'
import { en } from './i18n/locales/en.ts'

const session: DeskSession = {
  member: { id: 'ada', name: 'Ada', email: 'ada@shop.example', role: 'agent' },
  organization: { id: 'shop', name: 'Shop' },
  bots: [],
  team: [],
}
let requests: { path: string; member: string | undefined }[]
let streams: string[]
/** Whose cookie the browser has. */
let signedIn: string
beforeEach(() => {
  requests = []
  streams = []
  signedIn = 'ada'
  vi.stubGlobal('fetch', async (url: string, { headers }: { headers: Record<string, string> }) => {
    const path = url.replace('/desk/api', '')
    const member = headers['Natter-Member']
    requests.push({ path, member })
    if (member !== signedIn && (member || path !== '/session')) return Response.json({}, { status: 401 })
    return Response.json({ data: path === '/session' ? session : [], next: null, excerpts: {} })
  })
  vi.stubGlobal(
    'EventSource',
    class {
      constructor(url: string) {
        streams.push(url)
      }
      addEventListener() {}
      close() {}
    },
  )
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('who signs out is not told that the session has ended, although the event stream says so first', async () => {
  const { session } = createDeskApp(en)
  await session.load()
  const left = session.signOut()
  session.end()
  expect(session.state.value).toEqual({ status: 'leaving', hasEnded: false })
  await left
  expect(session.state.value).toEqual({ status: 'leaving', hasEnded: false })
})

test('a page under the cookie of another member ends, and leaves neither requests nor what was searched in the address', async () => {
  const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
  history.replaceState(null, '', '/desk/all?query=maria%40shop.example')
  const app = createDeskApp(en)
  render(
    <DeskAppContext.Provider value={app}>
      <App />
    </DeskAppContext.Provider>,
  )
  await app.session.load()
  await screen.findByRole('searchbox')
  expect(streams).toEqual([expect.stringMatching(/&member=ada$/)])
  expect(requests[0]).toEqual({ path: '/session', member: undefined })
  expect(requests.slice(1).every(({ member }) => member === 'ada')).toBe(true)
  signedIn = 'ben'
  await expect(app.api.get<'countDeskConversations'>('/counts')).rejects.toMatchObject({ status: 401 })
  const before = requests.length
  await expect(app.api.put<'keepDraft'>('/conversations/a/draft', { reply: 'Half' })).rejects.toMatchObject({
    status: 401,
  })
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce())
  expect([requests.length, location.pathname + location.search]).toEqual([before, '/desk/waiting'])
  expect(history.state).toEqual({ hasEnded: true })
})
