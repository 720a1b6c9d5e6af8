import { signal } from '@preact/signals'
import type { LazyPart, LazyText } from './LazyTextContext.ts'
import { nextTask } from './nextTask.ts'

/** `abortSignal`: the panel's end, when the styles for Markdown leave the root again. */
export const createLazyText = (root: ShadowRoot, abortSignal: AbortSignal): LazyText => ({
  markdown: createLazyPart(async () => {
    const { Markdown, adoptMarkdownStyles, createMarkdownParser } = await import('../markdown/index.ts')
    // The browser compiles the parser's expressions when each is first used, which costs a slow phone as much as what has
    // just been evaluated: so that happens in tasks of its own, before anything is rendered.
    for (const text of ['text', '*text* `code` [link](https://a.example)', '- item', '| a |\n|---|\n| b |']) {
      await nextTask()
      createMarkdownParser()(text, false)
    }
    await nextTask()
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
