import type { Environment } from '../environment.ts'
import type { createNotifications, Notifications } from './createNotifications.ts'

/** Calls the notifications. Loads them on first use, because most page views never need them. */
export interface LazyNotifications {
  notify(action: keyof Notifications): Promise<void>
  /** Whether they have been loaded. */
  isLoaded(): boolean
}

export function createLazyNotifications(
  load: Environment['notifications'],
  deps: Parameters<typeof createNotifications>[0],
): LazyNotifications {
  let notifications: Notifications | undefined
  return {
    async notify(action) {
      try {
        const { createNotifications } = await load()
        if (deps.abortSignal.aborted) return
        notifications ||= createNotifications(deps)
        notifications[action]()
      } catch {
        // The next message tries again. Until then the launcher's accessible name still contains the number.
      }
    },
    isLoaded: () => !!notifications,
  }
}
