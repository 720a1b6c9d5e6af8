import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { ApiError } from '../ApiError.ts'
import { createThread, type Thread, type ThreadDeps } from './thread.ts'

/** `missing`: there is none, or the member may not see it. */
export type LoadState = { kind: 'loading' | 'failed' | 'missing' } | { kind: 'ready'; thread: Thread }

/** A conversation that the member has chosen, from the moment of the choice. */
export interface LoadedConversation {
  readonly id: string
  readonly state: ReadonlySignal<LoadState>
  /** Tries again after a failure. */
  load(): Promise<void>
}

/** The chosen conversation, and those that the member has left before everything in them was sent. */
export interface Conversations {
  readonly current: ReadonlySignal<LoadedConversation | null>
  /** Chooses a conversation, `null` for none. */
  show(id: string | null): void
  /** Keeps all drafts now. Resolves to whether anything would be lost with the page nevertheless. */
  flush(): Promise<boolean>
  /** Tells who looks at what, and keeps drafts. Returns a function that ends everything. */
  start(): () => void
}

export function createConversations(deps: ThreadDeps): Conversations {
  const current = signal<LoadedConversation | null>(null)
  const all = new Map<string, { conversation: LoadedConversation; dispose(): void }>()

  function create(id: string): LoadedConversation {
    const state = signal<LoadState>({ kind: 'loading' })
    let isDisposed = false
    async function load(): Promise<void> {
      state.value = { kind: 'loading' }
      try {
        const { data } = await deps.api.get<'openConversation'>(`/conversations/${encodeURIComponent(id)}`)
        // It may be gone by now.
        if (isDisposed || state.peek().kind !== 'loading') return
        const thread = createThread(deps, data)
        state.value = { kind: 'ready', thread }
        // What has happened since the platform answered.
        void thread.catchUp()
      } catch (error) {
        state.value = { kind: error instanceof ApiError && error.status === 404 ? 'missing' : 'failed' }
      }
    }
    const conversation = { id, state, load }
    void load()
    const unsubscribe = deps.events.subscribe(event => {
      const { kind } = state.peek()
      threadOf(conversation)?.handle(event)
      if (event.event === 'gone' && event.data.conversationId === id) {
        threadOf(conversation)?.dispose()
        state.value = { kind: 'missing' }
      }
      if (event.event === 'reset' && (kind === 'failed' || kind === 'missing')) void load()
    })
    all.set(id, {
      conversation,
      dispose() {
        isDisposed = true
        stopWatching()
        unsubscribe()
        threadOf(conversation)?.dispose()
        all.delete(id)
      },
    })
    current.value = conversation
    const stopWatching = effect(() => {
      const { value } = state
      const isUnsaved = value.kind === 'ready' && value.thread.hasUnsaved.value
      if (current.value !== conversation && !isUnsaved) all.get(id)?.dispose()
    })
    return conversation
  }

  const threads = () => [...all.values()].flatMap(({ conversation }) => threadOf(conversation) ?? [])
  const hasUnsaved = () => threads().some(thread => thread.hasUnsaved.peek())
  async function flush(): Promise<boolean> {
    await Promise.all(threads().map(thread => thread.flush()))
    return hasUnsaved()
  }

  return {
    current,
    show(id) {
      if (id === (current.peek()?.id ?? null)) return
      void flush()
      current.value = id === null ? null : (all.get(id)?.conversation ?? create(id))
    },
    flush,
    start() {
      const { events } = deps
      // It counts while the stream is open, so it is said again whenever the stream opens.
      const stopViewing = effect(() => {
        const conversation = current.value
        const kind = conversation?.state.value.kind
        if (events.status.value !== 'live' || kind === 'loading') return
        const conversationId = (kind === 'ready' && conversation?.id) || null
        deps.api.put<'setViewing'>('/viewing', { page: events.page, conversationId }).catch(() => {})
      })
      const end = new AbortController()
      const { signal } = end
      document.addEventListener('visibilitychange', flush, { signal })
      window.addEventListener('beforeunload', event => hasUnsaved() && event.preventDefault(), { signal })
      return () => {
        void flush()
        stopViewing()
        end.abort('The desk has ended.')
        for (const { dispose } of [...all.values()]) dispose()
      }
    },
  }
}

function threadOf({ state }: LoadedConversation): Thread | undefined {
  const current = state.peek()
  return current.kind === 'ready' ? current.thread : undefined
}
