import type { Page } from '@playwright/test'
import { startLocalServer } from '../src/testServer.ts'

/** Opens a page with this HTML on an origin of its own, which a `--dev` bot allows. It is served until the page closes. */
export async function openHtmlPage(page: Page, html: string): Promise<void> {
  const server = await startLocalServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<!doctype html><html lang="en"><title>Test</title><link rel="icon" href="data:,">${html}</html>`)
  })
  page.once('close', () => server.close())
  await page.goto(server.url)
}
