import type { ReadonlySignal } from '@preact/signals'
import { createContext, type FunctionComponent } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { MarkdownProps } from '../markdown/index.ts'
import type { linkify } from './links.tsx'

/** What a message's text needs beyond plain text, each in a chunk of its own. */
export interface LazyText {
  /** The component that renders Markdown. */
  markdown: LazyPart<FunctionComponent<MarkdownProps>>
  /** Makes the addresses in plain text links. */
  linkify: LazyPart<typeof linkify>
}

export interface LazyPart<Part> {
  /** `null` until it has been fetched. */
  readonly part: ReadonlySignal<Part | null>
  /** Fetches it, again where that has failed. */
  load(): void
}

export const LazyTextContext = createContext<LazyText | null>(null)

/** Fetches the part when it is needed; until then, and where it can't be fetched, the text stays plain. */
export function useLazyText<Name extends keyof LazyText>(
  name: Name,
  isNeeded: boolean,
): LazyText[Name]['part']['value'] {
  const lazy = useContext(LazyTextContext)?.[name]
  useEffect(() => {
    if (isNeeded) lazy?.load()
  }, [isNeeded])
  return isNeeded && lazy ? lazy.part.value : null
}
