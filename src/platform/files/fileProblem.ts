/** Why a file is refused. */
export type FileProblem = 'unknown_type' | 'damaged' | 'too_many_pixels'

/** A file that is not accepted, because of its content. */
export class FileProblemError extends Error {
  override readonly name = 'FileProblemError'
  readonly problem: FileProblem

  constructor(problem: FileProblem) {
    super(`The file is refused: ${problem}.`)
    this.problem = problem
  }
}

export const damaged = (): FileProblemError => new FileProblemError('damaged')
