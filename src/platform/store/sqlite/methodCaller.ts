/**
 * Returns the function that calls one of these methods by its name. It throws if there is none: the caller would take
 * `undefined` for a success.
 */
export function createMethodCaller(methods: object): (name: string, args: unknown[]) => unknown {
  const byName = new Map<string, (...args: unknown[]) => unknown>(Object.entries(methods))
  return (name, args) => {
    const method = byName.get(name)
    if (!method) throw new Error(`This thread of the store has no method "${name}".`)
    return method(...args)
  }
}
