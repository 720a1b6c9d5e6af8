import { type ReadonlySignal, signal } from '@preact/signals'
import type { Strings } from '../i18n/en.ts'
import { adoptStyles } from './adoptStyles.ts'
import type { LazyPart, LazyParts } from './LazyPartsContext.ts'
import { nextTask } from './nextTask.ts'

/** `abortSignal`: the panel's end, when the styles of the parts leave the root again. */
export const createLazyParts = (
  root: ShadowRoot,
  strings: ReadonlySignal<Strings>,
  abortSignal: AbortSignal,
): LazyParts => ({
  transcript: createLazyPart(async () => {
    const { Transcript, transcriptStyles, createLazyDates } = await import('./Transcript.tsx')
    if (abortSignal.aborted) return null
    adoptStyles(root, transcriptStyles, abortSignal)
    return { Transcript, lazyDates: createLazyDates(strings) }
  }),
  menu: createLazyPart(async () => {
    const { Menu, menuStyles } = await import('./menu/index.ts')
    if (abortSignal.aborted) return null
    adoptStyles(root, menuStyles, abortSignal)
    return Menu
  }),
  markdown: createLazyPart(async () => {
    const { Markdown, markdownStyles, createMarkdownParser } = await import('../markdown/index.ts')
    // The browser compiles the parser's expressions when each is first used, which costs a slow phone as much as what has
    // just been evaluated: so that happens in tasks of its own, before anything is rendered.
    for (const text of ['text', '*text* `code` [link](https://a.example)', '- item', '| a |\n|---|\n| b |']) {
      await nextTask()
      createMarkdownParser()(text, false)
    }
    await nextTask()
    if (abortSignal.aborted) return null
    adoptStyles(root, markdownStyles, abortSignal)
    return Markdown
  }),
  linkify: createLazyPart(async () => (await import('./links.tsx')).linkify),
})

function createLazyPart<Part>(fetchPart: () => Promise<Part | null>): LazyPart<Part> {
  const part = signal<Part | null>(null)
  const hasFailed = signal(false)
  let isLoading = false
  return {
    part,
    hasFailed,
    async load() {
      if (isLoading) return
      isLoading = true
      hasFailed.value = false
      try {
        part.value = await fetchPart()
      } catch {
        // Whatever needs it next tries again.
        isLoading = false
        hasFailed.value = true
      }
    },
  }
}
