import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'

/** Opens a page of these words, from an origin of its own that a `--dev` bot allows; it is served until the page closes. */
export async function openMadePage(page: Page, html: string): Promise<void> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Made</title><link rel="icon" href="data:,">${html}</html>`)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  page.once('close', () => {
    server.close()
    server.closeAllConnections()
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}
