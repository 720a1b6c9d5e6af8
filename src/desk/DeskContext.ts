// Imported for its side effect: components subscribe to the signals that they read.
import '@preact/signals'
import { createContext } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import type { Desk, DeskApp } from './desk.ts'
import type { KeyBindings } from './keys.ts'

/** Provides what exists before anybody has signed in. */
export const DeskAppContext = createContext<DeskApp | null>(null)
/** Provides what the signed-in member works with. */
export const DeskContext = createContext<Desk | null>(null)

export function useDeskApp(): DeskApp {
  const app = useContext(DeskAppContext)
  if (!app) throw new Error('useDeskApp() needs a <DeskAppContext.Provider> above the component')
  return app
}

export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error('useDesk() needs a <DeskContext.Provider> above the component')
  return desk
}

/** Binds keys while the component is there. */
export function useKeys(bindings: KeyBindings): void {
  const { keys } = useDesk()
  const latest = useRef(bindings)
  latest.current = bindings
  useLayoutEffect(() => keys.bind(() => latest.current), [keys])
}
