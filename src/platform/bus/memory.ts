import type { Bus, BusEvent } from './bus.ts'

export interface MemoryBus extends Bus {
  hasListener(subject: string): boolean
}

/** The bus of a single node. It delivers events synchronously, in order. */
export function createMemoryBus(): MemoryBus {
  const subjects = new Map<string, Set<(event: BusEvent) => void>>()
  return {
    publish(subject, event) {
      for (const listener of [...(subjects.get(subject) ?? [])]) listener(event)
    },
    subscribe(subject, listener) {
      const listeners = subjects.get(subject) ?? new Set()
      subjects.set(subject, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && subjects.get(subject) === listeners) subjects.delete(subject)
      }
    },
    hasListener: subject => subjects.has(subject),
    async close() {
      subjects.clear()
    },
  }
}
