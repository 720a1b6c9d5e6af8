/** The answer to input that never becomes a request of the app. */
export interface Refusal {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Answers an error that the app does not see: input that is not valid HTTP, or a failure of the server itself. Logged and
 * counted like every other answer. `method`: that of the request, if there is one.
 */
export type Refuse = (error: unknown, method?: string) => Refusal
