import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { createBot } from './processes.ts'

interface ReadOptions {
  /** Base URL of the bot's widget endpoints. */
  widget: string
  credentials: RequestCredentials
}

/**
 * Reads session, messages and event stream like a page whose own `fetch` adds a header to every request. Resolves to `null`
 * if the browser does not allow it.
 */
const read = (page: Page, options: ReadOptions): Promise<unknown[] | null> =>
  page.evaluate(async ({ widget, credentials }) => {
    const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
    const post = (path: string, body: object, token = '') =>
      fetch(widget + path, {
        method: 'POST',
        credentials,
        headers: { authorization: token, 'content-type': 'application/json', 'x-trace': '1', 'x-app': 'shop' },
        body: JSON.stringify(body),
      })
    try {
      const { data } = await (await post('/sessions', {})).json()
      const session = await (await post('/session/retrieve', { nonce }, data.token)).json()
      const messages = await (await post('/messages/list', { nonce }, data.token)).json()
      const stream = await post('/events/stream', { nonce }, data.token)
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      const first = (await reader?.read())?.value
      await reader?.cancel()
      return [session.nonce === nonce, messages.nonce === nonce, first]
    } catch (error) {
      if (error instanceof TypeError) return null
      throw error
    }
  }, options)

test('a page whose fetch adds headers and credentials reads the chat where the bot lists its origin by name', async ({
  page,
  platform,
}) => {
  await openHtmlPage(page, '')
  const widgetOf = (origin: string) => `${platform.baseUrl}/v1/bots/${createBot(platform, origin)}/widget`
  const expected = [true, true, 'event: opened\ndata: {"nonce":"mZk3xT0qVb8Lr2Nw6YcPdA"}\n\n']

  const named = widgetOf(new URL(page.url()).origin)
  expect(await read(page, { widget: named, credentials: 'include' })).toEqual(expected)
  expect(await read(page, { widget: named, credentials: 'same-origin' })).toEqual(expected)

  const anyOrigin = widgetOf('*')
  expect(await read(page, { widget: anyOrigin, credentials: 'include' })).toBeNull()
  expect(await read(page, { widget: anyOrigin, credentials: 'same-origin' })).toEqual(expected)
})
