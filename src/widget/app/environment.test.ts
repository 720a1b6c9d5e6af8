import { afterEach, expect, test, vi } from 'vitest'
import { createEnvironment } from './environment.ts'

afterEach(() => vi.unstubAllGlobals())

test('paths are of the page’s own origin, whatever <base href> says', async () => {
  const asked: unknown[] = []
  vi.stubGlobal('fetch', async (url: unknown) => void asked.push(url))
  document.head.append(Object.assign(document.createElement('base'), { href: 'https://cdn.example/' }))
  const environment = createEnvironment({ botId: 'bot', baseUrl: '/chat' }, new AbortController().signal)
  for (const url of ['/chat-token', 'https://chat.example/v1']) await environment.fetch(url)
  expect(asked).toEqual([`${location.origin}/chat-token`, 'https://chat.example/v1'])
})
