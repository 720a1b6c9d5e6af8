/** Calls `use` with these variables in place of those of this process. It must not be asynchronous. */
export function withEnvironment<Result>(variables: Record<string, string | undefined>, use: () => Result): Result {
  const before = process.env
  process.env = { ...variables }
  try {
    return use()
  } finally {
    process.env = before
  }
}
