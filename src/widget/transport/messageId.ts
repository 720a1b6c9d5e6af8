/** A random UUID. Over plain http there is no `randomUUID`, and some sites are still served so. */
export function createMessageId(source: Partial<Crypto> & Pick<Crypto, 'getRandomValues'> = crypto): string {
  if (source.randomUUID) return source.randomUUID()
  let at = 0
  const bytes = source.getRandomValues(new Uint8Array(31))
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, place => {
    const nibble = (bytes[at++] ?? 0) & 15
    return (place === 'x' ? nibble : (nibble & 3) | 8).toString(16)
  })
}
