import { type ReadonlySignal, signal } from '@preact/signals-core'
import { removeEntry, writeEntry } from '../store/entries.ts'
import { setState } from '../updateState.ts'

export type SoundModel = Pick<Sound, 'isOn' | 'set'>

/**
 * Whether to play a sound for new messages. Off by default; one setting for all tabs. It belongs to the browser, not to the
 * session. If storage is blocked, it lasts until the page is left.
 */
export class Sound {
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
    setState(this.#isOn, on)
    if (on) writeEntry(this.#storage, this.#key, '1')
    else removeEntry(this.#storage, this.#key)
  }

  /** Reads the setting, which another tab may have changed. */
  refresh(): void {
    setState(this.#isOn, this.#read())
  }

  #read(): boolean {
    try {
      return this.#storage().getItem(this.#key) === '1'
    } catch {
      return this.#isOn.peek()
    }
  }
}
