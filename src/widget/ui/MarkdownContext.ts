import type { ReadonlySignal } from '@preact/signals'
import { createContext, type FunctionComponent } from 'preact'
import { useContext, useEffect } from 'preact/hooks'

export interface MarkdownProps {
  text: string
  /** Whether pictures may be fetched. */
  images: boolean
  /** There is more to come. */
  isStreaming: boolean
}

/** The component that renders Markdown, in a chunk of its own. */
export interface LazyMarkdown {
  /** `null` until it has been fetched. */
  readonly component: ReadonlySignal<FunctionComponent<MarkdownProps> | null>
  /** Fetches it, again where that has failed. */
  load(): void
}

export const MarkdownContext = createContext<LazyMarkdown | null>(null)

/** Fetches what renders Markdown when it is needed; until then, and where it can't be fetched, the text stays plain. */
export function useMarkdown(isNeeded: boolean): FunctionComponent<MarkdownProps> | null {
  const markdown = useContext(MarkdownContext)
  useEffect(() => {
    if (isNeeded) markdown?.load()
  }, [isNeeded])
  return isNeeded && markdown ? markdown.component.value : null
}
