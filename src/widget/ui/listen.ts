/** Adds a listener. Returns a function that removes it. */
export function listen(target: EventTarget, type: string, listener: () => void): () => void {
  // Use the prototype's method: an element of the page can hide `document.addEventListener` (DOM clobbering).
  EventTarget.prototype.addEventListener.call(target, type, listener)
  return () => EventTarget.prototype.removeEventListener.call(target, type, listener)
}
