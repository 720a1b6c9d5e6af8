import type { Locator, Page } from '@playwright/test'

/** A button in the control panel. */
export const button = (page: Page, name: string): Locator =>
  page.locator('.inspector').getByRole('button', { name, exact: true })
export const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name, exact: true })
export const log = (page: Page): Locator => page.getByRole('list', { name: 'Log' })

/** Activates the element with the keyboard. */
export async function press(target: Locator): Promise<void> {
  await target.focus()
  await target.press('Enter')
}

/** Collects policy violations and uncaught errors of the page from now on. */
export function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', line => {
    if (/content security|trusted/i.test(line.text())) errors.push(line.text())
  })
  return errors
}
