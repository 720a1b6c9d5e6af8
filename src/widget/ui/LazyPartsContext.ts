import type { ReadonlySignal } from '@preact/signals'
import { createContext, type FunctionComponent } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { MarkdownProps } from '../markdown/index.ts'
import type { LazyDates } from './lazyDates.ts'
import type { linkify } from './links.tsx'
import type { Transcript } from './Transcript.tsx'

/** What an open panel fetches, each in a chunk of its own. */
export interface LazyParts {
  transcript: LazyPart<{ Transcript: typeof Transcript; lazyDates: LazyDates }>
  /** The header's menu. */
  menu: LazyPart<FunctionComponent>
  /** The component that renders Markdown. */
  markdown: LazyPart<FunctionComponent<MarkdownProps>>
  /** Makes the addresses in plain text links. */
  linkify: LazyPart<typeof linkify>
}

export interface LazyPart<Part> {
  /** `null` until it has been fetched. */
  readonly part: ReadonlySignal<Part | null>
  readonly hasFailed: ReadonlySignal<boolean>
  /** Fetches it, again where that has failed. */
  load(): void
}

export const LazyPartsContext = createContext<LazyParts | null>(null)

/** Fetches the part when it is needed. Until then, and where it can't be fetched, the caller does without. */
export function useLazyPart<Name extends keyof LazyParts>(
  name: Name,
  isNeeded: boolean,
): LazyParts[Name]['part']['value'] {
  const lazy = useContext(LazyPartsContext)?.[name]
  useEffect(() => {
    if (isNeeded) lazy?.load()
  }, [isNeeded])
  return isNeeded && lazy ? lazy.part.value : null
}
