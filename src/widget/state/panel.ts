import { type ReadonlySignal, signal } from '@preact/signals-core'
import { type Doors, keeperOf, type Scope } from './scope.ts'
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
  begin(scope: Scope): void
  enter(scope: Scope, draft: string): void
  /** `elsewhere`: it is written in another tab, which keeps it. */
  setDraft(text: string, elsewhere?: boolean): void
  /** The draft has been written here. */
  isOwn(): boolean
}

export function createPanel({ cache, emit }: Doors, sound: Sound, onOpen: () => void): PanelCore {
  const open = signal(false)
  const draft = signal('')
  let keeper: Scope | undefined
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
    if (keeper && !elsewhere) void cache.put(keeper.epoch, () => ({ draft: text }))
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
      keeper = keeperOf(scope)
      own = false
      draft.value = ''
    },
    enter(scope, kept) {
      keeper = scope
      // What has been written meanwhile is newer.
      if (draft.peek()) setDraft(draft.peek())
      else draft.value = kept
    },
  }
}
