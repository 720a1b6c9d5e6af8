import { getFromDocument } from './documentAccess.ts'

/**
 * Watches for a page that replaces its body, as Turbo does, or its whole document, by `document.open()`. The latter removes
 * every listener of the window and of all nodes as well, but no observer. Returns the function that ends watching.
 */
export function watchDocument(onBodyReplaced: () => void, onDocumentReplaced: () => void): () => void {
  const childrenOnly = { childList: true }
  let root = getFromDocument('documentElement')
  const observer = new MutationObserver(() => {
    const current = getFromDocument('documentElement')
    // Between the old one and the new one there is none.
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
