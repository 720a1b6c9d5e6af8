import { type ReadonlySignal, signal } from '@preact/signals-core'
import { updateState } from './updateState.ts'

/** Whether the visitor wants to hear of messages that arrive unseen. Off by default; one choice for all tabs. */
export interface SoundModel {
  readonly isOn: ReadonlySignal<boolean>
  set(on: boolean): void
}

/** What the rest of the core does with it. */
export interface SoundCore extends SoundModel {
  /** Reads the choice that another tab may have changed. */
  refresh(): void
}

/** Stores the choice in the browser, not with the person; where storage is blocked it lasts as long as the page. */
export function createSound(key: string, storage: () => Storage): SoundCore {
  const read = () => {
    try {
      return storage().getItem(key) === '1'
    } catch {
      return isOn.peek()
    }
  }
  const isOn = signal(false)
  isOn.value = read()
  return {
    isOn,
    set(on) {
      updateState(() => {
        isOn.value = on
      })
      try {
        if (on) storage().setItem(key, '1')
        else storage().removeItem(key)
      } catch {
        // The choice lasts as long as this page.
      }
    },
    refresh() {
      updateState(() => {
        isOn.value = read()
      })
    },
  }
}
