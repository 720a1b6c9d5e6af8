import { signal } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import type { MarkdownProps } from '../markdown/index.ts'
import type { LazyMarkdown } from './MarkdownContext.ts'

/** Fetches what renders Markdown into a root, with its styles. `abortSignal`: the panel's end, when the styles go again. */
export function createLazyMarkdown(root: ShadowRoot, abortSignal: AbortSignal): LazyMarkdown {
  const component = signal<FunctionComponent<MarkdownProps> | null>(null)
  let isLoading = false

  async function load() {
    isLoading = true
    try {
      const { Markdown, adoptMarkdownStyles } = await import('../markdown/index.ts')
      // The first rendering costs as much as what has just been evaluated.
      await new Promise(requestAnimationFrame)
      if (abortSignal.aborted) return
      abortSignal.addEventListener('abort', adoptMarkdownStyles(root))
      component.value = Markdown
    } catch {
      // The next message in Markdown tries again.
      isLoading = false
    }
  }

  return {
    component,
    load() {
      if (!isLoading) void load()
    },
  }
}
