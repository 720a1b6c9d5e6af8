import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { TabEntries } from '../store/tabEntries.ts'
import { setState } from '../updateState.ts'

export type SoundModel = Pick<Sound, 'isOn' | 'set'>

/**
 * Whether to play a sound for new messages. Off by default; one setting for all tabs. It belongs to the browser, not to the
 * session. If storage is blocked, it lasts until the page is left.
 */
export class Sound {
  readonly #key: string
  readonly #entries: Pick<TabEntries, 'get' | 'set' | 'remove'>
  readonly #isOn = signal(false)

  readonly isOn: ReadonlySignal<boolean> = this.#isOn

  constructor(key: string, entries: Pick<TabEntries, 'get' | 'set' | 'remove'>) {
    this.#key = key
    this.#entries = entries
    this.refresh()
  }

  set = (on: boolean): void => {
    if (on) this.#entries.set(this.#key, '1')
    else this.#entries.remove(this.#key)
    this.refresh()
  }

  /** Reads the setting, which another tab may have changed. */
  refresh(): void {
    setState(this.#isOn, this.#entries.get(this.#key) === '1')
  }
}
