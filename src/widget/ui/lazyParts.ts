import { signal } from '@preact/signals'
import type { WidgetModels } from '../app/createApp.ts'
import { adoptStyles } from './adoptStyles.ts'
import type { LazyPart, LazyParts } from './LazyPartsContext.ts'

const firstRetryMs = 2000
const maxRetryMs = 60_000

/** `abortSignal` aborts when the panel is unmounted. The styles of the parts are then removed from `root`. */
export function createLazyParts(
  root: ShadowRoot,
  panelStyle: CSSStyleDeclaration,
  { strings, conversation }: Pick<WidgetModels, 'strings' | 'conversation'>,
  abortSignal: AbortSignal,
): LazyParts {
  function adopt<Chunk extends { styles: string }>(chunk: Chunk): Chunk | null {
    if (abortSignal.aborted) return null
    adoptStyles(root, chunk.styles, abortSignal)
    return chunk
  }

  return {
    transcript: createLazyPart(async () => {
      const chunk = adopt(await import('./Transcript.tsx'))
      if (!chunk) return null
      const stopFollowing = chunk.followBotAccent(root.host, panelStyle, conversation.botProfile.profile)
      abortSignal.addEventListener('abort', stopFollowing)
      return {
        ...chunk,
        lazyDates: chunk.createLazyDates(strings, abortSignal),
        coveredPage: chunk.createCoveredPage(root, abortSignal),
      }
    }, abortSignal),
    more: createLazyPart(async () => {
      const chunk = adopt(await import('./more.ts'))
      return chunk && { ...chunk, emailRequest: signal<string | null>(null) }
    }, abortSignal),
    markdown: createLazyPart(async () => {
      const chunk = await import('../markdown/index.ts')
      await chunk.warmUpParser()
      return adopt(chunk)
    }, abortSignal),
    attachments: createLazyPart(async () => {
      const model = conversation.attachments.load()
      const chunk = await import('./attachments/index.ts')
      return (await model) ? adopt(chunk) : null
    }, abortSignal),
  }
}

/** Fetches a part. After a failure it is tried again by itself, because most failures are those of the network. */
function createLazyPart<Part>(fetchPart: () => Promise<Part | null>, abortSignal: AbortSignal): LazyPart<Part> {
  const part = signal<Part | null>(null)
  const hasFailed = signal(false)
  let isLoading = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout>
  abortSignal.addEventListener('abort', () => clearTimeout(timer))

  async function tryToLoad(): Promise<void> {
    isLoading = true
    clearTimeout(timer)
    try {
      part.value = await fetchPart()
      hasFailed.value = false
    } catch {
      isLoading = false
      hasFailed.value = true
      if (!abortSignal.aborted) timer = setTimeout(tryToLoad, Math.min(firstRetryMs * 2 ** failures++, maxRetryMs))
    }
  }

  return {
    part,
    hasFailed,
    load() {
      if (isLoading) return
      hasFailed.value = false
      failures = 0
      void tryToLoad()
    },
  }
}
