// Access to the entries of localStorage and sessionStorage. None of these functions throws.

import type { WidgetOptions } from '../loader/options.ts'

/** Returns the storage. Throws if the browser blocks it. */
export type OpenStorage = () => Storage

/** The storage that the option `persist` names. With `memory` there is none: using it throws, as if the browser blocked it. */
export const openStorage =
  ({ persist = 'local' }: { persist?: WidgetOptions['persist'] | undefined }): OpenStorage =>
  () =>
    (persist !== 'memory' && window[`${persist}Storage`]) as Storage

/** Returns `null` if there is no such entry, or if storage is blocked. */
export function readEntry(open: OpenStorage, key: string): string | null {
  try {
    return open().getItem(key)
  } catch {
    return null
  }
}

/** Returns whether the browser has stored the value. */
export function writeEntry(open: OpenStorage, key: string, value: string): boolean {
  try {
    open().setItem(key, value)
    // Read back, because some consent tools replace `setItem` by a function that does nothing.
    return open().getItem(key) === value
  } catch {
    return false
  }
}

export function removeEntry(open: OpenStorage, key: string): void {
  try {
    open().removeItem(key)
  } catch {
    // Storage is blocked, so it holds no entry.
  }
}
