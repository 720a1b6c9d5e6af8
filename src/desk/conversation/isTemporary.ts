import { ApiError } from '../ApiError.ts'

/** Whether the same request may succeed later. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500 || [408, 429].includes(error.status))
