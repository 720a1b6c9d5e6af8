/** A contact's or an anonymous visitor's token. */
export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[cv]:[0-9a-f]{64}$/.test(value)
