import { cleanup, render, screen } from '@testing-library/preact'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SignInMethods } from '../../contract/desk.ts'
import { App } from '../App.tsx'
import { DeskAppContext } from '../DeskContext.ts'
import { createDeskApp } from '../desk.ts'
import { en } from '../i18n/locales/en.ts'

let methods: SignInMethods
let oidcAnswer: [status: number, body: object]
let requests: [path: string, body?: unknown][]
beforeEach(() => {
  methods = { passwords: false, provider: 'login.shop.example' }
  requests = []
  const answers: Record<string, () => [number, object]> = {
    'GET session': () => [401, { code: 'unauthorized' }],
    'GET session/methods': () => [200, { data: methods }],
    'POST session/oidc': () => oidcAnswer,
    'POST session/oidc/begin': () => [200, { data: { url: 'https://login.shop.example/auth?state=a' } }],
    'POST invitations/look': () => [200, { data: { email: 'ada@shop.example', organization: 'Acme', methods } }],
  }
  vi.stubGlobal('fetch', async (path: string, { method, body }: { method: string; body?: string }) => {
    requests.push(body ? [path, JSON.parse(body)] : [path])
    const [status, answer] = answers[`${method} ${path.replace('/desk/api/', '')}`]?.() ?? [404, {}]
    return Response.json(answer, { status })
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function open(path: string) {
  history.replaceState(null, '', path)
  const app = createDeskApp(en)
  render(
    <DeskAppContext.Provider value={app}>
      <App />
    </DeskAppContext.Provider>,
  )
  return app
}
const providerButton = () => screen.findByRole('button', { name: 'Sign in with login.shop.example' })

test('a desk with a provider leads there, and shows no password', async () => {
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {})
  await open('/desk').session.load()
  ;(await providerButton()).click()
  await vi.waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://login.shop.example/auth?state=a'))
  expect(document.querySelector('input')).toBeNull()
})

test('a desk has passwords, beside the provider or alone', async () => {
  methods = { passwords: true, provider: 'login.shop.example' }
  await open('/desk').session.load()
  await providerButton()
  screen.getByLabelText('Password')
  cleanup()
  methods = { passwords: true, provider: null }
  await open('/desk').session.load()
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Sign in'])
})

test('the page says why the provider has not signed the person in, who can try again', async () => {
  oidcAnswer = [401, { code: 'unauthorized', detail: 'Nobody has invited eve@shop.example.' }]
  await open('/desk/waiting').session.finishOidc('code=a&state=b')
  expect((await screen.findByRole('alert')).textContent).toBe('Nobody has invited eve@shop.example.')
  expect(requests).toEqual([['/desk/api/session/oidc', { response: 'code=a&state=b' }], ['/desk/api/session/methods']])
  await providerButton()
  cleanup()
  oidcAnswer = [500, { code: 'internal', detail: 'The log says more.' }]
  await open('/desk/waiting').session.finishOidc('code=a&state=b')
  expect((await screen.findByRole('alert')).textContent).toBe('That didn’t work. Please try again.')
})

test('an invitation leads to the provider, as the person who is invited', async () => {
  open('/desk/invite#token')
  await providerButton()
  screen.getByText('Sign in as ada@shop.example, and you can answer chats.')
  expect(document.querySelector('input')).toBeNull()
})
