/** Adds a listener. Returns what removes it. */
export function listen(target: EventTarget, type: string, listener: () => void): () => void {
  // By the prototype's method: an element of the page with that name covers the document's own.
  EventTarget.prototype.addEventListener.call(target, type, listener)
  return () => EventTarget.prototype.removeEventListener.call(target, type, listener)
}
