import type { TestTarget } from './testTarget.ts'

/** A rule that a deployment must keep. */
export interface Rule {
  /** Its source: the specification, or our decisions where the specification leaves it open. */
  source: 'spec' | 'ours'
  /** The section of the source. */
  section: string
  /** The rule as a sentence. */
  title: string
  /** Throws a `BrokenRule` if it is broken. */
  check(target: TestTarget): Promise<void>
}

type Check = Rule['check']

/** A rule of the specification. */
export const spec = (section: string, title: string, check: Check): Rule => ({ source: 'spec', section, title, check })

/** A rule of ours, by the section of the decisions. */
export const ours = (section: string, title: string, check: Check): Rule => ({ source: 'ours', section, title, check })
