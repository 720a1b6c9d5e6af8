import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { createOpenConversation, type OpenConversation } from './openConversation.ts'
import type { ThreadDeps } from './thread.ts'

/** The opened conversation, and those that the member has left before everything in them was sent. */
export interface Conversations {
  readonly current: ReadonlySignal<OpenConversation | null>
  /** Opens a conversation, `null` for none. */
  show(id: string | null): void
  /** Tells who looks at what, and keeps drafts. Returns a function that ends everything. */
  start(): () => void
}

export function createConversations(deps: ThreadDeps): Conversations {
  const current = signal<OpenConversation | null>(null)
  const opened = new Map<string, { conversation: OpenConversation; dispose(): void }>()

  function open(id: string): OpenConversation {
    const conversation = createOpenConversation(deps, id)
    current.value = conversation
    const stopWatching = effect(() => {
      const isShown = current.value === conversation
      if (!conversation.hasUnsaved.value && !isShown) close(id)
    })
    opened.set(id, {
      conversation,
      dispose() {
        stopWatching()
        conversation.dispose()
      },
    })
    return conversation
  }

  function close(id: string): void {
    opened.get(id)?.dispose()
    opened.delete(id)
  }

  const flush = () => {
    const state = current.peek()?.state.peek()
    if (state?.kind === 'ready') state.thread.flush()
  }

  return {
    current,
    show(id) {
      if (id === (current.peek()?.id ?? null)) return
      flush()
      current.value = id === null ? null : (opened.get(id)?.conversation ?? open(id))
    },
    start() {
      // It counts while the stream is open, so it is said again whenever the stream opens.
      const stopViewing = effect(() => {
        const conversationId = current.value?.id ?? null
        if (deps.events.status.value !== 'live') return
        deps.api.put<'setViewing'>('/viewing', { conversationId }).catch(() => {})
      })
      const end = new AbortController()
      const { signal } = end
      document.addEventListener('visibilitychange', flush, { signal })
      const onBeforeUnload = (event: Event) => {
        if ([...opened.values()].some(({ conversation }) => conversation.hasUnsaved.peek())) event.preventDefault()
      }
      window.addEventListener('beforeunload', onBeforeUnload, { signal })
      return () => {
        flush()
        stopViewing()
        end.abort('The desk has ended.')
        for (const id of [...opened.keys()]) close(id)
      }
    },
  }
}
