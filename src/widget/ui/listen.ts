/** Listens until the undo is called. */
export function listen(target: EventTarget, type: string, listener: () => void): () => void {
  // Not the target's own properties: on the document, an element of the page with such a name covers them.
  EventTarget.prototype.addEventListener.call(target, type, listener)
  return () => EventTarget.prototype.removeEventListener.call(target, type, listener)
}
