import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { runCli } from './processes.ts'

interface Asking {
  /** Address of the bot's endpoints for widgets. */
  widget: string
  credentials: RequestCredentials
}

/** Reads all three by `POST` as a page does whose own `fetch` adds a header to every request; nothing where it may not. */
const read = (page: Page, asking: Asking): Promise<unknown[] | null> =>
  page.evaluate(async ({ widget, credentials }) => {
    const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
    const ask = (path: string, body: object, token = '') =>
      fetch(widget + path, {
        method: 'POST',
        credentials,
        headers: { authorization: token, 'content-type': 'application/json', 'x-trace': '1', 'x-app': 'shop' },
        body: JSON.stringify(body),
      })
    try {
      const { data } = await (await ask('/sessions', {})).json()
      const session = await (await ask('/session/retrieve', { nonce }, data.token)).json()
      const messages = await (await ask('/messages/list', { nonce }, data.token)).json()
      const stream = await ask('/events/stream', { nonce }, data.token)
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
      const first = (await reader?.read())?.value
      await reader?.cancel()
      return [session.nonce === nonce, messages.nonce === nonce, first]
    } catch (error) {
      if (error instanceof TypeError) return null
      throw error
    }
  }, asking)

test('a page whose fetch adds headers and credentials reads the chat where the bot lists its origin by name', async ({
  page,
  platform,
}) => {
  await openHtmlPage(page, '')
  const organization = runCli(platform, 'org', 'create', '--name', 'Shop')
  const widgetOf = (origin: string) => {
    const bot = runCli(platform, 'bot', 'create', '--organization', organization, '--name', 'Shop', '--origin', origin)
    return `${platform.baseUrl}/v1/bots/${bot}/widget`
  }
  const all = [true, true, 'event: opened\ndata: {"nonce":"mZk3xT0qVb8Lr2Nw6YcPdA"}\n\n']

  const named = widgetOf(new URL(page.url()).origin)
  expect(await read(page, { widget: named, credentials: 'include' })).toEqual(all)
  expect(await read(page, { widget: named, credentials: 'same-origin' })).toEqual(all)

  const anyOrigin = widgetOf('*')
  expect(await read(page, { widget: anyOrigin, credentials: 'include' })).toBeNull()
  expect(await read(page, { widget: anyOrigin, credentials: 'same-origin' })).toEqual(all)
})
