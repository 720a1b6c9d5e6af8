import { type ReadonlySignal, signal } from '@preact/signals-core'
import { updateState } from './updateState.ts'

/** Whether to play a sound for new messages. Off by default; one setting for all tabs. */
export interface SoundModel {
  readonly isOn: ReadonlySignal<boolean>
  set(on: boolean): void
}

/** The setting belongs to the browser, not to the session. If storage is blocked, it lasts until the page is left. */
export class Sound implements SoundModel {
  readonly #key: string
  readonly #storage: () => Storage
  readonly #isOn = signal(false)

  readonly isOn: ReadonlySignal<boolean> = this.#isOn

  constructor(key: string, storage: () => Storage) {
    this.#key = key
    this.#storage = storage
    this.refresh()
  }

  set = (on: boolean): void => {
    updateState(() => {
      this.#isOn.value = on
    })
    try {
      if (on) this.#storage().setItem(this.#key, '1')
      else this.#storage().removeItem(this.#key)
    } catch {
      // Storage is blocked, so the setting lasts until the page is left.
    }
  }

  /** Reads the setting, which another tab may have changed. */
  refresh(): void {
    const isOn = this.#read()
    updateState(() => {
      this.#isOn.value = isOn
    })
  }

  #read(): boolean {
    try {
      return this.#storage().getItem(this.#key) === '1'
    } catch {
      return this.#isOn.peek()
    }
  }
}
