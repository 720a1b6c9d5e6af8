import { effect } from '@preact/signals-core'
import { type ComponentChild, render } from 'preact'

/** Draws a tree at once, and again when a signal that it reads has changed; the undo stops that. */
export function keepDrawn(tree: () => ComponentChild, box: Element): () => void {
  let stop = () => {}
  const draw = () => {
    let drawn = false
    stop = effect(() => {
      // Its second run reads no signal and so is the last: many changes in a row make one drawing.
      if (drawn) queueMicrotask(() => box.parentNode && draw())
      else render(tree(), box)
      drawn = true
    })
  }
  draw()
  return () => {
    stop()
    box.remove()
  }
}
