import { signal } from '@preact/signals'
import { adoptStyles } from './adoptStyles.ts'
import type { LazyPart, LazyParts } from './LazyPartsContext.ts'

/** `abortSignal`: the panel's end, when the styles of the parts leave the root again. */
export const createLazyParts = (root: ShadowRoot, abortSignal: AbortSignal): LazyParts => ({
  menu: createLazyPart(async () => {
    const { Menu, menuStyles } = await import('./menu/index.ts')
    if (abortSignal.aborted) return null
    adoptStyles(root, menuStyles, abortSignal)
    return Menu
  }),
  markdown: createLazyPart(async () => {
    const { Markdown, markdownStyles } = await import('../markdown/index.ts')
    // The first rendering costs as much as what has just been evaluated.
    await new Promise(requestAnimationFrame)
    if (abortSignal.aborted) return null
    adoptStyles(root, markdownStyles, abortSignal)
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
      // Whatever needs it next tries again.
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
