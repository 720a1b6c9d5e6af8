import { ConflictRetryError } from '../database.ts'
import { StoreUnavailableError } from '../store.ts'

/** Error codes by PostgreSQL's own names. */
export const sqlStates = {
  uniqueViolation: '23505',
  readOnlyTransaction: '25006',
  insufficientPrivilege: '42501',
  queryCanceled: '57014',
} as const

/** Unique constraints that two concurrent transactions may violate. The second one is repeated. */
const racyConstraints = new Set<unknown>(['contacts_email', 'messages_id', 'conversations_of_contact'])

const retryableCodes = new Set<unknown>([
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections: one may be free soon
  '55P03', // a lock of NOWAIT
])

/** How the codes begin by which a server says that it cannot work now. */
const unavailableCodes = [
  '08', // connection
  '28', // login
  '3D', // database
  '40', // conflict of transactions
  '53', // resources
  '57', // operator intervention
  '58', // system
  'XX', // defect
  '25P03', // the time limit of idle transactions
  '25P04', // the time limit of transactions
  sqlStates.readOnlyTransaction,
]

/** Maps errors that do not come from the server to `StoreUnavailableError`: the server does not answer. */
export async function mapDriverError<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (codeOf(error) !== undefined) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const message = /password must be a string/.test(reason)
      ? 'PostgreSQL requires a password: set it in the address or in PGPASSWORD.'
      : `PostgreSQL does not answer: ${reason}`
    throw new StoreUnavailableError(message, { cause: error })
  }
}

/** The SQLSTATE of an error that is an answer of the server. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined
}

/** Whether the server takes no writes. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === sqlStates.readOnlyTransaction

/** Whether the transaction may succeed if it is repeated. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ConflictRetryError) return true
  const code = codeOf(error)
  const isTaken =
    code === sqlStates.uniqueViolation && racyConstraints.has((error as { constraint?: string }).constraint)
  return isTaken || retryableCodes.has(code)
}

/** The error of a call that is not repeated, or for which no time is left. */
export function toStoreError(error: unknown): unknown {
  const code = codeOf(error) ?? ''
  const isUnavailable = isRetryable(error) || unavailableCodes.some(start => code.startsWith(start))
  return isUnavailable ? new StoreUnavailableError((error as Error).message, { cause: error }) : error
}
