/** A mistake on the command line or in the configuration. The message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
