import type { Page } from '@playwright/test'
import { type Finding, type SearchedText, searchPage } from 'natter/testing'

/**
 * Searches what a page has stored and what its chat contains; resolves to what is found. The page around the chat may
 * contain it, too: the demo names its customers.
 */
export async function findInChat(page: Page, ...texts: SearchedText[]): Promise<string[]> {
  const findings = await searchPage(page, { texts, memory: false })
  return [...new Set(findings.filter(isOfChat).map(({ text }) => text))]
}

const isOfChat = ({ place, path }: Finding) =>
  place !== 'document' || path.some(step => step.startsWith('#shadow-root'))

/** What is in the page's storage. */
export const readStorage = (page: Page): Promise<{ local: string[]; session: string; databases: number }> =>
  page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: JSON.stringify({ ...sessionStorage }),
    databases: (await indexedDB.databases()).length,
  }))
