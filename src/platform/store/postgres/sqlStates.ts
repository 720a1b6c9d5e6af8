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
} as const
