import { setTimeout } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { type SearchOptions, searchMemoryOf, searchStored } from './searchPage.ts'
import { createSearch, type Finding } from './textSearch.ts'

export interface NothingLeftOptions extends SearchOptions {
  /** How long to wait for the page to forget everything, in milliseconds. Default 5000. */
  timeoutMs?: number
}

const pauseMs = 100
/** An error lists at most so many findings. */
const maxListed = 20

/**
 * Fails if a page has kept anything of a person who has just signed out: in localStorage, sessionStorage, IndexedDB, Cache
 * Storage, cookies that scripts can read, the address, the history's state, the document with its open and closed shadow
 * roots and frames, or in memory. Waits until nothing is left, and then rejects with an error that lists what was found
 * where. Rejects at once with a `TypeError` if `texts` is empty, and with an `Error` if the memory can't be searched.
 *
 * @example
 * await expectNothingLeft(page, { texts: ['Lovelace', 'my parcel', /c:[0-9a-f]{64}/] })
 */
export async function expectNothingLeft(
  page: Page,
  { texts, memory = true, timeoutMs = 5_000 }: NothingLeftOptions,
): Promise<void> {
  const search = createSearch(texts)
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const stored = await searchStored(page, search)
    const isLast = performance.now() >= deadline
    // A snapshot of the memory takes long, so it waits for the rest.
    const inMemory = memory && (stored.length === 0 || isLast) ? await searchMemoryOf(page, search) : []
    const findings = [...stored, ...inMemory]
    if (findings.length === 0) return
    if (isLast) throw new Error(describeFindings(findings))
    await setTimeout(pauseMs)
  }
}

function describeFindings(findings: Finding[]): string {
  const lines = new Set(
    findings.map(({ text, place, path, excerpt }) => {
      const where = [place, ...path].join(' › ')
      return excerpt === text ? `  ${where}: "${text}"` : `  ${where}: "${text}" in "${excerpt}"`
    }),
  )
  const listed = [...lines].slice(0, maxListed)
  if (lines.size > maxListed) listed.push(`  and ${lines.size - maxListed} more`)
  return ['The page still holds what belongs to the person who has signed out:', ...listed].join('\n')
}
