import type { WidgetHandle } from '../loader/createHandle.ts'
import type { Launcher } from '../loader/launcher.ts'

/** Lets the site's own elements open and close the chat, those too that come into the page later. Returns the undo. */
export function serveLaunchers(
  handle: WidgetHandle,
  { host, root, layer, button }: Launcher,
  selector: string,
): () => void {
  // Where the launcher was, the panel is now.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(':host{--launcher-size:-16px}')
  let opener: HTMLElement | undefined

  const mark = (open: boolean) => {
    for (const each of document.querySelectorAll(selector)) each.setAttribute('aria-expanded', `${open}`)
  }
  /** Ours stays away, except to say that the chat could not be loaded. */
  const replace = (replaced: boolean) => {
    sheet.disabled = !replaced
    if (!replaced) layer.prepend(button)
    // Prototype.js has a `remove()` of its own, which throws where there is no parent.
    else if (button.parentNode) button.remove()
  }
  const find = ({ target }: Event) => (target instanceof Element ? target.closest<HTMLElement>(selector) : null)
  const onClick = (event: Event) => {
    const found = find(event)
    if (!found) return
    // It may be a link to another way of contact, for browsers in which there is no chat.
    event.preventDefault()
    opener = found
    handle.toggle()
  }
  const onNear = (event: Event) => {
    // MooTools replaces `Event`.
    if (find(event)) button.dispatchEvent(new CustomEvent('pointerenter'))
  }

  // An invalid selector throws here, while our launcher is still there.
  mark(false)
  root.adoptedStyleSheets.push(sheet)
  replace(true)
  handle.on('open', () => {
    mark(true)
    replace(true)
  })
  handle.on('close', () => {
    mark(false)
    // Only a focus that would be lost; one that is elsewhere in the page stays there.
    const { activeElement } = document
    if (!activeElement || activeElement === host || activeElement === document.body) opener?.focus()
  })
  handle.on('error', ({ code }) => {
    if (code === 'chunk_failed') replace(false)
  })
  const abortSignal = new AbortController()
  const { signal } = abortSignal
  document.addEventListener('click', onClick, { capture: true, signal })
  document.addEventListener('pointerover', onNear, { signal })
  document.addEventListener('focusin', onNear, { signal })
  return () => {
    abortSignal.abort()
    for (const each of document.querySelectorAll(selector)) each.removeAttribute('aria-expanded')
  }
}
