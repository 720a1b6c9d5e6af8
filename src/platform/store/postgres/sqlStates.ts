/** The error codes that the store handles, by PostgreSQL's own names. */
export const sqlStates = {
  readOnlyTransaction: '25006',
  uniqueViolation: '23505',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  tooManyConnections: '53300',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
  /** Raised by the guards of a moving organization. Neither PostgreSQL nor the SQL standard uses this class. */
  organizationMoving: 'NT001',
} as const
