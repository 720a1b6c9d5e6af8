import { effect } from '@preact/signals-core'
import { type ComponentChild, render } from 'preact'

/** Draws a tree at once, and again when a signal that it reads has changed; the undo stops that. */
export function keepDrawn(tree: () => ComponentChild, box: Element): () => void {
  const stop = effect(() => render(tree(), box))
  return () => {
    stop()
    box.remove()
  }
}
