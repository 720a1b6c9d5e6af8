/** A random UUID; `crypto.randomUUID` is not there over plain http, and some sites are still served so. */
export function createMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(36))
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (place, at: number) => {
    const nibble = (bytes[at] ?? 0) & 15
    return (place === 'x' ? nibble : (nibble & 3) | 8).toString(16)
  })
}
