/** What the option `persist` accepts. */
export const persistence = /^(local|session|memory)$/

/**
 * Whether a site's `persist` is valid or not set. If it is misspelt there is no chat: any other value could store more than
 * the site wants, or forget its visitors.
 */
export const isPersistenceValid = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || persistence.test(`${value}`)
