/** Prevents an `unhandledrejection` event where the caller ignores the promise. */
export function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}
