import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { DeskEvent } from '../../contract/desk.ts'
import { ApiError } from '../ApiError.ts'
import { createThread, type Thread, type ThreadDeps } from './thread.ts'

export type OpenState = { kind: 'loading' | 'failed' | 'missing' } | { kind: 'ready'; thread: Thread }

/** The conversation that the member has chosen. */
export interface OpenConversation {
  readonly id: string
  readonly state: ReadonlySignal<OpenState>
  /** Whether something would be lost with this model. */
  readonly hasUnsaved: ReadonlySignal<boolean>
  /** Tries again after a failure. */
  load(): Promise<void>
  dispose(): void
}

/** Begins to load a conversation. `missing`: there is none, or the member may not see it. */
export function createOpenConversation(deps: ThreadDeps, id: string): OpenConversation {
  const state = signal<OpenState>({ kind: 'loading' })
  /** What has happened since the conversation was asked for. */
  let earlyEvents: DeskEvent[] = []
  let isDisposed = false

  const unsubscribe = deps.events.subscribe(event => {
    const current = state.peek()
    if (current.kind === 'ready') current.thread.handle(event)
    else if (current.kind === 'loading') earlyEvents.push(event)
    else if (event.event === 'reset') void load()
  })

  async function load(): Promise<void> {
    state.value = { kind: 'loading' }
    earlyEvents = []
    try {
      const { data } = await deps.api.get<'openConversation'>(`/conversations/${encodeURIComponent(id)}`)
      if (isDisposed) return
      const thread = createThread(deps, data)
      state.value = { kind: 'ready', thread }
      for (const event of earlyEvents) thread.handle(event)
    } catch (error) {
      state.value = { kind: error instanceof ApiError && error.status === 404 ? 'missing' : 'failed' }
    }
  }

  void load()
  return {
    id,
    state,
    hasUnsaved: computed(() => state.value.kind === 'ready' && state.value.thread.hasUnsaved.value),
    load,
    dispose() {
      isDisposed = true
      unsubscribe()
      const current = state.peek()
      if (current.kind === 'ready') current.thread.dispose()
    },
  }
}
