import { modalDialog, topLayerSelector } from './topLayerSelector.ts'

/** How the widget's layer is shown above the page: by `z-index` alone, as a popover, or in a modal dialog. */
type Mode = 'none' | 'popover' | 'modal'

/**
 * Keeps the panel above the page's top layer elements, which would otherwise cover it. If the page shows popovers when the
 * chat is opened, the widget's layer becomes a popover, too. A modal dialog makes everything outside of it inert, including
 * popovers, so in that case the layer moves into a modal dialog of the widget. When those elements have closed, the layer
 * leaves the top layer. Elements that the page shows later cover the chat, until it is opened again.
 */
interface TopLayer {
  /** Call it each time the chat is opened. */
  enter(): void
  leave(): void
}

/** `layer` contains launcher and panel. `onClose` is called on Escape outside of the panel, and on Back on a phone. */
export function createTopLayer(layer: HTMLElement, onClose: () => void): TopLayer {
  const root = layer.getRootNode() as ShadowRoot
  let mode: Mode = 'none'
  let leaveMode = () => {}
  /** The top layer elements of the page that the chat was opened above. */
  let covered: Element[] = []
  let watching = new AbortController()

  function setMode(next: Mode) {
    if (next === mode) return
    // Set it first: moving the focus runs listeners of the page, which may close the chat and call this again.
    mode = next
    leaveMode()
    leaveMode = () => {}
    if (next === 'popover') leaveMode = showAsPopover(layer)
    if (next === 'modal') leaveMode = showInDialog(layer, onClose)
  }

  function update() {
    const focused = findFocused()
    covered = covered.filter(isInTopLayer)
    setMode(!covered.length ? 'none' : covered.some(element => element.matches(modalDialog)) ? 'modal' : 'popover')
    // Without a reason the browser creates an error, whose stack keeps the visible conversation in memory.
    if (mode === 'none') watching.abort(0)
    // Opening or closing a dialog has moved the focus: move it back. While our modal dialog is open, it must contain the
    // focus.
    if (mode === 'modal' && focused?.getRootNode() !== root)
      root.querySelector('textarea')?.focus({ preventScroll: true })
    else if (focused !== findFocused()) focused?.focus({ preventScroll: true })
  }

  /** Updates when a covered element closes or is removed from the page, for which there is no event. */
  function watchCovered() {
    watching.abort(0)
    watching = new AbortController()
    const { signal } = watching
    for (const element of covered)
      for (const type of ['close', 'toggle', 'fullscreenchange']) element.addEventListener(type, update, { signal })
    const observer = new MutationObserver(update)
    observer.observe(document, { childList: true, subtree: true })
    signal.addEventListener('abort', () => observer.disconnect())
  }

  return {
    enter() {
      const found = findInTopLayer().filter(element => element.getRootNode() !== root && !element.contains(root.host))
      // A new element is above the layer: leave the top layer and enter it again.
      if (found.some(element => !covered.includes(element))) setMode('none')
      covered = found
      if (covered.length) watchCovered()
      update()
    },
    leave() {
      covered = []
      watching.abort(0)
      setMode('none')
    },
  }
}

function showAsPopover(layer: HTMLElement) {
  layer.popover = 'manual'
  layer.showPopover()
  return () => {
    layer.popover = null
  }
}

function showInDialog(layer: HTMLElement, onClose: () => void) {
  const root = layer.getRootNode() as ShadowRoot
  const dialog = root.appendChild(document.createElement('dialog'))
  dialog.className = 'modal'
  dialog.ariaLabel = layer.querySelector('.panel')?.ariaLabel ?? null
  dialog.oncancel = event => {
    event.preventDefault()
    onClose()
  }
  // A second Back closes the dialog in any case.
  dialog.onclose = onClose
  moveInto(dialog, layer)
  dialog.showModal()
  return () => {
    dialog.onclose = null
    // The browser moves the focus back to the element of the page that had it before.
    dialog.close()
    moveInto(root, layer)
    dialog.remove()
  }
}

/**
 * Moves the layer and restores the focus and the scroll position, which a moved element loses. The composer's undo history
 * is lost. Don't use `moveBefore()`: Chromium crashes when that moves a focused element into a shadow root, and without the
 * focus it doesn't keep the undo history either.
 */
function moveInto(parent: ParentNode, layer: HTMLElement) {
  const focused = (layer.getRootNode() as ShadowRoot).activeElement as HTMLElement | null
  const log = layer.querySelector('.log')
  const top = log?.scrollTop ?? 0
  parent.append(layer)
  if (log) log.scrollTop = top
  focused?.focus({ preventScroll: true })
}

/** Returns the focused element, also inside of shadow roots. */
function findFocused(): HTMLElement | null {
  let focused = document.activeElement
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  return focused as HTMLElement | null
}

/**
 * Finds top layer elements in the document, and in the shadow roots around the focus: the chat was probably opened there.
 */
function findInTopLayer(): Element[] {
  const roots: ParentNode[] = [document.documentElement]
  for (let root = document.activeElement?.shadowRoot; root; root = root.activeElement?.shadowRoot) roots.push(root)
  return roots.flatMap(root => [...root.querySelectorAll(topLayerSelector)])
}

const isInTopLayer = (element: Element) => element.isConnected && element.matches(topLayerSelector)
