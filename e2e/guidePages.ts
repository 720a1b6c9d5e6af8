import type { Page } from '@playwright/test'

/** Guides with pictures, tables, plots and the code of another language. */
export const guidesWithParts: string[] = ['/docs', '/docs/sdk', '/docs/benchmarks', '/docs/demo-content']

/** Records requests to other places than the documentation, console errors and policy violations. */
export function recordRequestsAndErrors(page: Page, baseUrl: string): string[] {
  const seen: string[] = []
  page.on('request', request => {
    if (!request.url().startsWith(`${baseUrl}/docs`) && !request.url().startsWith('data:')) seen.push(request.url())
  })
  page.on('response', response => {
    if (response.status() >= 400) seen.push(`${response.status()} ${response.url()}`)
  })
  page.on('console', line => seen.push(line.text()))
  page.on('pageerror', error => seen.push(String(error)))
  return seen
}
