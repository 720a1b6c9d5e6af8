import { signal } from '@preact/signals'
import type { WidgetModels } from '../app/createApp.ts'
import { adoptStyles } from './adoptStyles.ts'
import type { LazyPart, LazyParts } from './LazyPartsContext.ts'

const firstRetryMs = 2000
const maxRetryMs = 60_000

/** `abortSignal` aborts when the panel is unmounted. The styles of the parts are then removed from `root`. */
export const createLazyParts = (
  root: ShadowRoot,
  panelStyle: CSSStyleDeclaration,
  { strings, conversation }: Pick<WidgetModels, 'strings' | 'conversation'>,
  abortSignal: AbortSignal,
): LazyParts => ({
  transcript: createLazyPart(async () => {
    const { Transcript, transcriptStyles, ...chunk } = await import('./Transcript.tsx')
    if (abortSignal.aborted) return null
    const stopFollowing = chunk.followBotAccent(root.host, panelStyle, conversation.botProfile.profile)
    abortSignal.addEventListener('abort', stopFollowing)
    adoptStyles(root, transcriptStyles, abortSignal)
    return {
      Transcript,
      Notices: chunk.Notices,
      DraftLimit: chunk.DraftLimit,
      StopButton: chunk.StopButton,
      lazyDates: chunk.createLazyDates(strings, abortSignal),
      coveredPage: chunk.createCoveredPage(root, abortSignal),
    }
  }, abortSignal),
  menu: createLazyPart(async () => {
    const { Menu, menuStyles } = await import('./menu/index.ts')
    if (abortSignal.aborted) return null
    adoptStyles(root, menuStyles, abortSignal)
    return Menu
  }, abortSignal),
  markdown: createLazyPart(async () => {
    const { Markdown, markdownStyles, warmUpParser } = await import('../markdown/index.ts')
    await warmUpParser()
    if (abortSignal.aborted) return null
    adoptStyles(root, markdownStyles, abortSignal)
    return Markdown
  }, abortSignal),
  sources: createLazyPart(async () => {
    const { Sources, sourcesStyles } = await import('./Sources.tsx')
    if (abortSignal.aborted) return null
    adoptStyles(root, sourcesStyles, abortSignal)
    return Sources
  }, abortSignal),
  rating: createLazyPart(async () => {
    const { RatingButtons, ratingStyles } = await import('./RatingButtons.tsx')
    if (abortSignal.aborted) return null
    adoptStyles(root, ratingStyles, abortSignal)
    return RatingButtons
  }, abortSignal),
  attachments: createLazyPart(async () => {
    const model = conversation.attachments.load()
    const { attachmentStyles, ...components } = await import('./attachments/index.ts')
    if (!(await model) || abortSignal.aborted) return null
    adoptStyles(root, attachmentStyles, abortSignal)
    return components
  }, abortSignal),
  linkify: createLazyPart(async () => (await import('./links.tsx')).linkify, abortSignal),
})

/** Fetches a part. After a failure it is tried again by itself, because most failures are those of the network. */
function createLazyPart<Part>(fetchPart: () => Promise<Part | null>, abortSignal: AbortSignal): LazyPart<Part> {
  const part = signal<Part | null>(null)
  const hasFailed = signal(false)
  let isLoading = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout>
  abortSignal.addEventListener('abort', () => clearTimeout(timer))

  async function tryToLoad(): Promise<void> {
    if (isLoading) return
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
    async load() {
      if (isLoading) return
      hasFailed.value = false
      failures = 0
      await tryToLoad()
    },
  }
}
