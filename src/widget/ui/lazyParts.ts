import { signal } from '@preact/signals'
import type { LazyPart, LazyText } from './LazyTextContext.ts'

/** `abortSignal`: the panel's end, when the styles for Markdown leave the root again. */
export const createLazyText = (root: ShadowRoot, abortSignal: AbortSignal): LazyText => ({
  markdown: createLazyPart(async () => {
    const { Markdown, adoptMarkdownStyles } = await import('../markdown/index.ts')
    // The first rendering costs as much as what has just been evaluated.
    await new Promise(requestAnimationFrame)
    if (abortSignal.aborted) return null
    abortSignal.addEventListener('abort', adoptMarkdownStyles(root))
    return Markdown
  }),
  linkify: createLazyPart(async () => (await import('./links.tsx')).linkify),
})

function createLazyPart<Part>(fetchPart: () => Promise<Part | null>): LazyPart<Part> {
  const part = signal<Part | null>(null)
  let isLoading = false

  async function load() {
    isLoading = true
    try {
      part.value = await fetchPart()
    } catch {
      // The next message that needs it tries again.
      isLoading = false
    }
  }

  return {
    part,
    load() {
      if (!isLoading) void load()
    },
  }
}
