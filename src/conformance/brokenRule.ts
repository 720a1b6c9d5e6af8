/** A broken rule: what was expected, and what happened. */
export class BrokenRule extends Error {
  override readonly name = 'BrokenRule'
  readonly expected: string
  readonly got: string

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
  }
}
