import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { viewHref } from '../router.ts'
import { shownViews } from './views.ts'

/** The links to the views, with the number of conversations in each. */
export function Views(): JSX.Element {
  const { inbox, strings, format } = useDesk()
  const counts = inbox.counts.value
  return (
    <nav class="views" aria-label={strings.app.inbox}>
      {shownViews.map(view => {
        // Nobody has to do anything about the closed ones.
        const count = view === 'closed' ? 0 : (counts?.[view] ?? 0)
        return (
          <a
            key={view}
            href={viewHref(view)}
            class={`view ${view}`}
            aria-current={inbox.view.value === view ? 'true' : undefined}
          >
            {strings.inbox.views[view]}
            {count > 0 && <span class="view-count">{format.number(count)}</span>}
          </a>
        )
      })}
    </nav>
  )
}
