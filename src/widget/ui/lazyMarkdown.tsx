import { signal } from '@preact/signals'
import { type FunctionComponent, h } from 'preact'
import { useRef } from 'preact/hooks'
import { IconButton } from './IconButton.tsx'
import { link } from './links.tsx'
import type { LazyMarkdown, MarkdownProps } from './MarkdownContext.ts'
import { useWidget } from './WidgetContext.ts'

/** `abortSignal`: the panel's end, after which nothing is added to the root any more. */
export function createLazyMarkdown(root: ShadowRoot, abortSignal: AbortSignal): LazyMarkdown {
  const component = signal<FunctionComponent<MarkdownProps> | null>(null)
  let isLoading = false

  async function load() {
    isLoading = true
    try {
      const { createMarkdown } = await import('../markdown/index.ts')
      // The first rendering costs as much as what has just been evaluated.
      await new Promise(requestAnimationFrame)
      if (abortSignal.aborted) return
      let renderText: ReturnType<typeof createMarkdown> | undefined
      component.value = ({ text, images, isStreaming }) => {
        const { strings } = useWidget()
        const owner = useRef({})
        renderText ??= createMarkdown(root, {
          h,
          link,
          iconButton: (label, path, onClick, more) => <IconButton {...{ label, path, onClick, ...more }} />,
          strings: () => strings.value,
        })
        return <>{renderText(owner.current, { text, images, growing: isStreaming })}</>
      }
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
