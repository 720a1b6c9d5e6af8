/** Adds the name of the database that cannot be opened to an error. */
export async function nameInErrors<Result>(database: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Cannot open the database ${database}: ${reason}`, { cause })
  }
}
