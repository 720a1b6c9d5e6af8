/** Creates a random UUID. `crypto.randomUUID` is missing on pages served over plain http. */
export const randomUuid = (): string =>
  '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, digit => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    return (+digit ^ (byte & (15 >> (+digit / 4)))).toString(16)
  })
