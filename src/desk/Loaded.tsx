import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { useDesk } from './DeskContext.ts'

/** What a part of a page shows, from the moment of its request. */
export interface Loadable<Data> {
  state: Signal<'loading' | 'failed' | { data: Data }>
  load(): Promise<void>
}

/** Loads at once. What is shown stays until something newer is there. */
export function useLoadable<Data>(request: () => Promise<{ data: Data }>): Loadable<Data> {
  const state: Loadable<Data>['state'] = useSignal('loading')
  const load = async () => {
    state.value = await request().catch(() => 'failed' as const)
  }
  useEffect(() => void load(), [])
  return { state, load }
}

/** Shows what has been loaded, or why there is nothing. */
export function Loaded<Data>(props: { from: Loadable<Data>; children(data: Data): JSX.Element }): JSX.Element {
  const { strings } = useDesk()
  const { state, load } = props.from
  if (state.value === 'loading') return <p role="status">{strings.app.loading}</p>
  if (state.value !== 'failed') return props.children(state.value.data)
  return (
    <div class="empty" role="alert">
      <p>{strings.app.loadFailed}</p>
      <button type="button" class="button" onClick={load}>
        {strings.app.retry}
      </button>
    </div>
  )
}
