/** A random UUID; `crypto.randomUUID` is not there over plain http, and some sites are still served so. */
export const createMessageId = (): string =>
  '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, place => {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    return (+place ^ (byte & (15 >> (+place / 4)))).toString(16)
  })
