import { type ReadonlySignal, signal } from '@preact/signals-core'
import { cacheScopeOf, type Deps, type SessionScope } from './session/sessionScope.ts'
import type { Sound } from './sound.ts'

/** The panel itself: open or not, and the visitor's draft. */
export interface PanelModel {
  readonly open: ReadonlySignal<boolean>
  /** The composer's text; it belongs to the person, survives closing and reload, and goes with the session. */
  readonly draft: ReadonlySignal<string>
  setDraft(text: string): void
  readonly sound: Sound
  close(): void
}

/** What the rest of the core does with the panel. */
export interface PanelCore extends PanelModel {
  setOpen(open: boolean): void
  begin(scope: SessionScope): void
  enter(scope: SessionScope, draft: string): void
  /** `elsewhere`: it is written in another tab, which keeps it. */
  setDraft(text: string, elsewhere?: boolean): void
  /** The draft has been written here. */
  isOwn(): boolean
}

export function createPanel({ cache, emit }: Deps, sound: Sound, onOpen: () => void): PanelCore {
  const open = signal(false)
  const draft = signal('')
  let cacheScope: SessionScope | undefined
  let own = false

  function setOpen(next: boolean) {
    if (next === open.peek()) return
    open.value = next
    if (next) onOpen()
    emit(next ? 'open' : 'close')
  }

  function setDraft(text: string, elsewhere = false) {
    own = !elsewhere
    draft.value = text
    if (cacheScope && !elsewhere) void cache.put(cacheScope.epoch, () => ({ draft: text }))
  }

  return {
    open,
    draft,
    sound,
    setOpen,
    setDraft,
    isOwn: () => own,
    close: () => setOpen(false),
    begin(scope) {
      cacheScope = cacheScopeOf(scope)
      own = false
      draft.value = ''
    },
    enter(scope, kept) {
      cacheScope = scope
      // What has been written meanwhile is newer.
      if (draft.peek()) setDraft(draft.peek())
      else draft.value = kept
    },
  }
}
