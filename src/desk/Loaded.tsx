import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useDesk } from './DeskContext.ts'
import { createLoadable, type Loadable } from './loadable.ts'

/** Loads at once. */
export function useLoadable<Data>(request: () => Promise<{ data: Data }>): Loadable<Data> {
  const [loadable] = useState(() => createLoadable(request))
  useEffect(() => void loadable.load(), [loadable])
  return loadable
}

/** Shows what has been loaded, and that something could not be loaded. */
export function Loaded<Data>(props: { from: Loadable<Data>; children(data: Data): JSX.Element }): JSX.Element {
  const { strings } = useDesk()
  const { data, hasFailed, load } = props.from
  return (
    <>
      {data.value !== null && props.children(data.value)}
      {data.value === null && !hasFailed.value && <p role="status">{strings.app.loading}</p>}
      {hasFailed.value && (
        <div class="empty" role="alert">
          <p>{strings.app.loadFailed}</p>
          <button type="button" class="button" onClick={load}>
            {strings.app.retry}
          </button>
        </div>
      )}
    </>
  )
}
