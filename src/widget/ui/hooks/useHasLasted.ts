import { useEffect, useState } from 'preact/hooks'

/** Returns whether a condition has been true for some time. */
export function useHasLasted(isTrue: boolean, durationMs: number): boolean {
  const [hasLasted, setHasLasted] = useState(false)
  useEffect(() => {
    setHasLasted(false)
    if (!isTrue) return
    const timer = setTimeout(() => setHasLasted(true), durationMs)
    return () => clearTimeout(timer)
  }, [isTrue])
  return isTrue && hasLasted
}
