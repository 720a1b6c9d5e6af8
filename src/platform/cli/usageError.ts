/** A mistake on the command line or in the configuration, with what to do about it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
