import { type ReadonlySignal, signal } from '@preact/signals-core'
import { cacheScopeOf, type Deps, type SessionScope } from './session/sessionScope.ts'

/** The text in the composer. It belongs to the person, survives closing and reload, and goes with the session. */
export interface DraftModel {
  readonly text: ReadonlySignal<string>
  setText(text: string): void
}

/** What the rest of the core does with the draft. */
export interface DraftCore extends DraftModel {
  begin(scope: SessionScope): void
  enter(scope: SessionScope, stored: string): void
  /** Shows what is being written in another tab, which stores it. */
  applyRemote(text: string): void
  /** Whether this tab wrote the current text. */
  isOwn(): boolean
}

export function createDraft({ cache }: Pick<Deps, 'cache'>): DraftCore {
  const text = signal('')
  let cacheScope: SessionScope | undefined
  let isOwn = false

  function setText(next: string) {
    isOwn = true
    text.value = next
    if (cacheScope) void cache.put(cacheScope.epoch, () => ({ draft: next }))
  }

  return {
    text,
    setText,
    applyRemote(next) {
      isOwn = false
      text.value = next
    },
    isOwn: () => isOwn,
    begin(scope) {
      cacheScope = cacheScopeOf(scope)
      isOwn = false
      text.value = ''
    },
    enter(scope, stored) {
      cacheScope = scope
      // What was written in the meantime is newer.
      if (text.peek()) setText(text.peek())
      else text.value = stored
    },
  }
}
