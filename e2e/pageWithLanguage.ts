import type { Page } from '@playwright/test'
import { Chat } from './fixtures.ts'
import type { HostPage } from './hostPage.ts'

/** Opens the strict host page with attributes of its `<html>` element and of the script tag. */
export async function visit(page: Page, hostPage: HostPage, html: string, attributes = ''): Promise<Chat> {
  await page.goto(`${hostPage.url}?${new URLSearchParams({ html, script: attributes })}`)
  return new Chat(page)
}

/** Records which translations are requested from now on. */
export function recordLocales(page: Page): string[] {
  const requested: string[] = []
  page.on('request', request => {
    const file = /\/natter@[^/]+\/(\w\w(?:-\w+)?)-[\w-]{8}\.js$/.exec(request.url())?.[1]
    if (file) requested.push(file)
  })
  return requested
}
