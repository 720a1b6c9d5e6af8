import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'

/** Opens a page with this HTML on an origin of its own, which a `--dev` bot allows. It is served until the page closes. */
export async function openHtmlPage(page: Page, html: string): Promise<void> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="data:,">${html}</html>`)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  page.once('close', () => {
    server.close()
    server.closeAllConnections()
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}
