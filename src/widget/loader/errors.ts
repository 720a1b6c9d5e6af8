import type { WidgetErrorCode } from './events.ts'

/** What `login()` rejects with; switch on `code`. Never holds a token. */
export interface WidgetError extends Error {
  code: WidgetErrorCode
}

export function widgetError(code: WidgetErrorCode, message: string, cause?: unknown): WidgetError {
  return Object.assign(new Error(message, { cause }), { code })
}
