import type { TestTarget } from './testTarget.ts'

/** One thing that a deployment must do. */
export interface Rule {
  /** Where it comes from: the specification, or our decisions where that is silent. */
  source: 'spec' | 'ours'
  /** The section there. */
  section: string
  /** A sentence that says what holds. */
  title: string
  /** Throws a `BrokenRule` where it does not. */
  check(target: TestTarget): Promise<void>
}

type Check = Rule['check']

/** A rule of the specification. */
export const spec = (section: string, title: string, check: Check): Rule => ({ source: 'spec', section, title, check })

/** A rule of ours, by the section of the decisions. */
export const ours = (section: string, title: string, check: Check): Rule => ({ source: 'ours', section, title, check })
