import { useLayoutEffect } from 'preact/hooks'

/** Listens while the component is there; the listener is the first render's. */
export function useListener(target: EventTarget | null | undefined, type: string, listener: () => void): void {
  useLayoutEffect(() => {
    target?.addEventListener(type, listener)
    return () => target?.removeEventListener(type, listener)
  }, [])
}
