/** Whether the visitor wants to hear of messages that come unseen. Off at first; one choice for all tabs. */
export interface Sound {
  isOn(): boolean
  set(on: boolean): void
}

/** Keeps the choice in the browser, not with the person; where storage is blocked, for this page. */
export function createSound(key: string, storage: () => Storage): Sound {
  let choice: string | null = null
  return {
    isOn() {
      try {
        choice = storage().getItem(key)
      } catch {
        // The page's own choice.
      }
      return !!choice
    },
    set(on) {
      choice = on ? '1' : null
      try {
        if (on) storage().setItem(key, '1')
        else storage().removeItem(key)
      } catch {
        // It holds for this page.
      }
    },
  }
}
