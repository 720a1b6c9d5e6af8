import { callDocument, getFromDocument } from '../loader/documentAccess.ts'
import { findInTopLayer, modalDialog, topLayerSelectors } from './topLayerElements.ts'

/** How the widget's layer stands over the page: by `z-index` alone, as a popover, or as a modal dialog. */
type Mode = 'none' | 'popover' | 'modal'

/**
 * Keeps the panel over what the page shows in the top layer at the moment the chat is opened: without that it would open
 * behind it. Beside a popover, the widget's layer becomes a popover too. Everything outside of a modal dialog is inert,
 * popovers included, so over a dialog the layer goes into a modal dialog of the widget. It leaves the top layer as soon as
 * nothing of that is left. What the page shows later covers the chat, as the page means it to, until the chat is opened
 * again.
 */
export interface TopLayer {
  /** The chat has been opened. */
  enter(): void
  leave(): void
}

/** `layer` holds launcher and panel. `onClose` is called on Escape outside of the panel, and on a phone's Back. */
export function createTopLayer(layer: HTMLElement, onClose: () => void): TopLayer {
  const root = layer.getRootNode() as ShadowRoot
  let mode: Mode = 'none'
  let leaveMode = () => {}
  /** What of the page the chat has been opened over. */
  let covered: Element[] = []
  let watching = new AbortController()

  function setMode(next: Mode) {
    if (next === mode) return
    // Set first: moving the focus runs listeners of the page, which may close the chat.
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
    // With a reason: an error made by the browser would keep its stack, and so the conversation being shown, in memory.
    if (mode === 'none') watching.abort(0)
    // Opening or closing a dialog has moved the focus: move it back. While a modal one is open, only what is in it can have it.
    if (mode === 'modal' && focused?.getRootNode() !== root)
      root.querySelector('textarea')?.focus({ preventScroll: true })
    else if (focused !== findFocused()) focused?.focus({ preventScroll: true })
  }

  /** Updates when something closes or is removed. Removal has no event. */
  function watch() {
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
      // What has come since the last time is above us: enter the top layer again.
      if (found.some(element => !covered.includes(element))) setMode('none')
      covered = found
      if (covered.length) watch()
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
  const dialog = root.appendChild(callDocument('createElement', 'dialog') as HTMLDialogElement)
  dialog.className = 'modal'
  dialog.ariaLabel = layer.querySelector('.panel')?.ariaLabel ?? null
  dialog.oncancel = event => {
    event.preventDefault()
    onClose()
  }
  // A second Back closes it all the same.
  dialog.onclose = onClose
  moveInto(dialog, layer)
  dialog.showModal()
  return () => {
    dialog.onclose = null
    // The browser gives the focus back to what had it in the page's dialog.
    dialog.close()
    moveInto(root, layer)
    dialog.remove()
  }
}

/**
 * Keeps the focus and the transcript's place, which a moved element loses. What can be undone in the composer is lost with
 * the move. Not by `moveBefore()`: Chromium's crashes the page when it moves the focus into a shadow root, and without the
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

/** What has the focus, in whichever shadow root. */
function findFocused(): HTMLElement | null {
  let focused = getFromDocument('activeElement')
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement
  return focused as HTMLElement | null
}

const isInTopLayer = (element: Element) =>
  element.isConnected && topLayerSelectors().some(selector => element.matches(selector))
