import type { ReadonlySignal, Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { CoveredPage } from './coveredPage.ts'
import type { LazyDates } from './dates.ts'

/** The parts of the panel that are separate chunks. */
export interface LazyParts {
  /** The transcript, and what else an open panel needs as soon as it takes text. */
  transcript: LazyPart<typeof import('./Transcript.tsx') & { lazyDates: LazyDates; coveredPage: CoveredPage }>
  /** What an open panel needs next. */
  more: LazyPart<
    typeof import('./more.ts') & {
      /** The scope in which the menu has asked for the form that leaves an email address. */
      emailRequest: Signal<string | null>
    }
  >
  markdown: LazyPart<typeof import('../markdown/index.ts')>
  /** The button that attaches files, the files in the composer, and those of messages. */
  attachments: LazyPart<typeof import('./attachments/index.ts')>
}

export interface LazyPart<Part> {
  /** `null` until it has been fetched. */
  readonly part: ReadonlySignal<Part | null>
  readonly hasFailed: ReadonlySignal<boolean>
  /** Loads the part, unless it is loaded. Retries at once after a failure. */
  load(): void
}

export const LazyPartsContext = createContext<LazyParts | null>(null)

/** Returns a part, and loads it when it is needed. Returns `null` until it is loaded, and if loading fails. */
export function useLazyPart<Name extends keyof LazyParts>(
  name: Name,
  isNeeded = true,
): LazyParts[Name]['part']['value'] {
  const lazy = useContext(LazyPartsContext)?.[name]
  useEffect(() => {
    if (isNeeded) lazy?.load()
  }, [isNeeded])
  return isNeeded && lazy ? lazy.part.value : null
}
