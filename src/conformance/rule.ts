import type { TestTarget } from './testTarget.ts'

/** A rule that a deployment must obey. */
export interface Rule {
  /** Who set the rule: the specification of the contact API, or Natter where the specification leaves it open. */
  source: 'specification' | 'natter'
  /** The section of the specification, such as `4.2`; for rules of Natter their topic, such as `natter/contacts`. */
  label: string
  /** The rule as a sentence. */
  title: string
  /** Throws a `BrokenRule` if it is broken. */
  check(target: TestTarget): Promise<void>
}

type Check = Rule['check']

/** A topic of Natter's own rules. */
type Topic = 'requests' | 'responses' | 'contacts' | 'tokens' | 'widget' | 'files'

/** A rule of the specification, by its section. */
export const spec = (section: string, title: string, check: Check): Rule => ({
  source: 'specification',
  label: section,
  title,
  check,
})

/** A rule of Natter, by its topic. */
export const ours = (topic: Topic, title: string, check: Check): Rule => ({
  source: 'natter',
  label: `natter/${topic}`,
  title,
  check,
})
