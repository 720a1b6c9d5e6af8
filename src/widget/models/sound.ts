import { type ReadonlySignal, signal } from '@preact/signals-core'
import { updateState } from './updateState.ts'

/** Whether to play a sound for new messages. Off by default; one setting for all tabs. */
export interface SoundModel {
  readonly isOn: ReadonlySignal<boolean>
  set(on: boolean): void
}

/** The part of the model that the rest of the core uses. */
export interface SoundCore extends SoundModel {
  /** Reads the setting, which another tab may have changed. */
  refresh(): void
}

/**
 * Creates the model. The setting belongs to the browser, not to the session. If storage is blocked, it lasts until the page
 * is left.
 */
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
        // Storage is blocked, so the setting lasts until the page is left.
      }
    },
    refresh() {
      updateState(() => {
        isOn.value = read()
      })
    },
  }
}
