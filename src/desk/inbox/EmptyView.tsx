import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { viewHref } from '../router.ts'

/** What stands in the place of rows, if a view has none. */
export function EmptyView(): JSX.Element {
  const { inbox, strings, format } = useDesk()
  const view = inbox.view.value
  if (Object.keys(inbox.filters.value).length > 0)
    return (
      <p class="empty" role="status">
        {strings.inbox.nothingFound}
      </p>
    )
  const handled = inbox.counts.value?.bot ?? 0
  return (
    <div class="empty">
      <p>{strings.inbox.empty[view]}</p>
      {view === 'waiting' && handled > 0 && (
        <p>
          <a href={viewHref('bot')}>{format.count(strings.inbox.botHandles, handled)}</a>
        </p>
      )}
    </div>
  )
}
