import { StoreUnavailableError } from './store.ts'

/** The error of a database that cannot be opened, with its name. */
export function cannotOpen(database: string, cause: unknown, advice = ''): StoreUnavailableError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailableError(`Cannot open the database ${database}: ${reason}${advice}`, { cause })
}
