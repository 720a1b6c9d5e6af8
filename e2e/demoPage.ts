import type { Locator, Page } from '@playwright/test'

/** A button of the control panel. */
export const button = (page: Page, name: string): Locator =>
  page.locator('.inspector').getByRole('button', { name, exact: true })
export const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name, exact: true })
export const log = (page: Page): Locator => page.getByRole('list', { name: 'Log' })

/** Clicks without a mouse. */
export async function press(target: Locator): Promise<void> {
  await target.focus()
  await target.press('Enter')
}

/** Policy violations and errors of the page, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('console', line => {
    if (/content security|trusted/i.test(line.text())) complaints.push(line.text())
  })
  return complaints
}
