/** Short texts by key that all tabs of the origin share: localStorage, or memory where the browser refuses it. */
export interface Area {
  get(key: string): string | null
  /** `null` removes. */
  set(key: string, value: string | null): void
  /** Nothing survives a reload. */
  readonly blocked: boolean
}

/** Opens localStorage anew on each use: the getter itself throws where storage is blocked. */
export function createArea(open: () => Storage = () => localStorage): Area {
  const memory = new Map<string, string>()
  const set = (key: string, value: string | null) => {
    memory.delete(key)
    try {
      if (value === null) open().removeItem(key)
      else open().setItem(key, value)
    } catch {
      if (value !== null) memory.set(key, value)
    }
  }
  const probe = 'natter:probe'
  set(probe, '')
  const blocked = memory.has(probe)
  set(probe, null)
  return {
    blocked,
    set,
    get(key) {
      try {
        return memory.get(key) ?? open().getItem(key)
      } catch {
        return null
      }
    },
  }
}
