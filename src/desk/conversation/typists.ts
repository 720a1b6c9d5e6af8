import { type ReadonlySignal, signal } from '@preact/signals'
import type { MemberSummary } from '../../contract/desk.ts'

/** Somebody who is writing: a member, or the visitor (`null`). */
export type Typist = MemberSummary | null

export interface Typists {
  readonly current: ReadonlySignal<readonly Typist[]>
  /** Shows somebody for some seconds. */
  add(typist: Typist): void
  /** Somebody has sent a message. */
  remove(id: string | undefined): void
  dispose(): void
}

/** Longer than the pause between two notices of somebody who goes on writing. */
const shownMs = 6000

export function createTypists(): Typists {
  const current = signal<readonly Typist[]>([])
  const timers = new Map<string | undefined, ReturnType<typeof setTimeout>>()
  const remove = (id: string | undefined) => {
    clearTimeout(timers.get(id))
    timers.delete(id)
    current.value = current.peek().filter(typist => typist?.id !== id)
  }
  return {
    current,
    add(typist) {
      const isShown = timers.has(typist?.id)
      clearTimeout(timers.get(typist?.id))
      timers.set(
        typist?.id,
        setTimeout(() => remove(typist?.id), shownMs),
      )
      if (!isShown) current.value = [...current.peek(), typist]
    },
    remove,
    dispose() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}
