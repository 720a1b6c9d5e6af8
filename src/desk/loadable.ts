import { type ReadonlySignal, signal } from '@preact/signals'

/** What a part of a page shows. It stays until something newer is there, also if loading that has failed. */
export interface Loadable<Data> {
  /** `null` until it is loaded. */
  readonly data: ReadonlySignal<Data | null>
  /** Whether the last request has failed. */
  readonly hasFailed: ReadonlySignal<boolean>
  load(): Promise<void>
}

export function createLoadable<Data>(request: () => Promise<{ data: Data }>): Loadable<Data> {
  const data = signal<Data | null>(null)
  const hasFailed = signal(false)
  return {
    data,
    hasFailed,
    async load() {
      const response = await request().catch(() => null)
      hasFailed.value = !response
      if (response) data.value = response.data
    },
  }
}
