import { ApiError } from '../ApiError.ts'

/** Whether the same request may succeed later. After a 401 the member signs in again. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500 || [401, 408, 429].includes(error.status))
