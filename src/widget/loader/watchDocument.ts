/**
 * Detects that the page replaces its body, as Turbo does, or its whole document with `document.open()`. The latter also
 * removes all listeners of the window and of all nodes, but no mutation observer. Returns a function that stops watching.
 */
export function watchDocument(onBodyReplaced: () => void, onDocumentReplaced: () => void): () => void {
  const childrenOnly = { childList: true }
  let root = document.documentElement
  const observer = new MutationObserver(() => {
    const current = document.documentElement
    // After the old document element is removed and before the new one is added, there is none.
    if (!current) return
    if (current === root) return onBodyReplaced()
    root = current
    observer.observe(root, childrenOnly)
    onDocumentReplaced()
  })
  observer.observe(document, childrenOnly)
  observer.observe(root, childrenOnly)
  return () => observer.disconnect()
}
