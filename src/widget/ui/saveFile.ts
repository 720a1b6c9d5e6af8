/** Browsers have begun to read the file by then. */
const lifetimeMs = 1000

/**
 * Saves a file. Its temporary address has the origin of the page, so nothing may ever open it there: it is
 * `application/octet-stream`, which browsers only save, and is soon revoked.
 */
export function saveFile(content: BlobPart, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  // It is not in the page, so the page's listeners don't see the click.
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), lifetimeMs)
}
