/** Short texts by key that all tabs of the origin share: localStorage, or memory where the browser refuses it. */
export interface Area {
  get(key: string): string | null
  /** `null` removes. */
  set(key: string, value: string | null): void
}

/**
 * Opens localStorage anew on each use: the getter itself throws where storage is blocked, and a visitor may block it
 * while the page is open.
 */
export function createArea(open: () => Storage = () => localStorage): Area {
  const memory = new Map<string, string>()
  return {
    get(key) {
      try {
        return memory.get(key) ?? open().getItem(key)
      } catch {
        return memory.get(key) ?? null
      }
    },
    set(key, value) {
      memory.delete(key)
      try {
        if (value === null) open().removeItem(key)
        else open().setItem(key, value)
      } catch {
        if (value !== null) memory.set(key, value)
      }
    },
  }
}

/** Whether this browser keeps nothing, so that a conversation ends with its page. */
export function isBlocked(open: () => Storage = () => localStorage): boolean {
  const key = 'natter:probe'
  try {
    open().setItem(key, '')
    open().removeItem(key)
    return false
  } catch {
    return true
  }
}
