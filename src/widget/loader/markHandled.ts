/** Prevents an `unhandledrejection` event if the page ignores the promise. Returns the promise. */
export function markHandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}
