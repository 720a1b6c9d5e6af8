import { type ReadonlySignal, signal } from '@preact/signals'

/** By the key's name: `j`, `?`, `Escape`, `Mod+Enter`. */
export type KeyBindings = Record<string, () => void>

export interface Keys {
  /** Whether keys without a modifier do something. */
  readonly areLettersOn: ReadonlySignal<boolean>
  setLettersOn(isOn: boolean): void
  isBound(name: string): boolean
  /** Does what a key does, if it does anything. */
  run(name: string): void
  /** Of several bindings of a key, the latest counts. Returns the removal. */
  bind(bindings: () => KeyBindings): () => void
  /** Listens. Returns a function that stops it. */
  start(): () => void
}

/** The key that letters are combined with, as the keyboard names it. */
export const modKey: string = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl'

const storageKey = 'natter-desk-letters'

export function createKeys(): Keys {
  const areLettersOn = signal(localStorage.getItem(storageKey) !== 'off')
  const all = new Set<() => KeyBindings>()

  const find = (name: string) => [...all].reverse().find(bindings => Object.hasOwn(bindings(), name))
  const run = (name: string) => find(name)?.()[name]?.()

  function onKeyDown(event: KeyboardEvent) {
    // A modal dialog and an open menu have their own keys. An input method uses keys for itself.
    if (event.defaultPrevented || event.isComposing || document.querySelector('dialog:modal, :popover-open')) return
    const name = nameOf(event)
    if (name.length === 1 && (!areLettersOn.value || isField(event.target))) return
    if (!find(name)) return
    event.preventDefault()
    if (!event.repeat || name === 'j' || name === 'k') run(name)
  }

  return {
    areLettersOn,
    isBound: name => find(name) !== undefined,
    run,
    setLettersOn(isOn) {
      areLettersOn.value = isOn
      localStorage.setItem(storageKey, isOn ? 'on' : 'off')
    },
    bind(bindings) {
      all.add(bindings)
      return () => all.delete(bindings)
    },
    start() {
      addEventListener('keydown', onKeyDown)
      return () => removeEventListener('keydown', onKeyDown)
    },
  }
}

function nameOf({ key, code, altKey, ctrlKey, metaKey }: KeyboardEvent): string {
  if (altKey) return ''
  // On a keyboard of another script, the place of the key counts.
  const latin = key > '\x7f' ? /^Key(.)$/.exec(code)?.[1] : undefined
  // A capital letter is the same key, and `?` needs Shift on most keyboards.
  const name = key.length === 1 ? (latin ?? key).toLowerCase() : key
  return ctrlKey || metaKey ? `Mod+${name}` : name
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
