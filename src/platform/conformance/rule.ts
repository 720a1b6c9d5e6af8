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

/** The topics of Natter's own rules. */
const topics = { 1: 'requests', 2: 'responses', 3: 'contacts', 4: 'tokens', 5: 'widget', 6: 'files' }

/** A rule of the specification, by its section. */
export const spec = (section: string, title: string, check: Check): Rule => ({
  ...{ source: 'specification', label: section },
  ...{ title, check },
})

/** A rule of Natter, by the number of its topic. */
export const ours = (topic: `${keyof typeof topics}`, title: string, check: Check): Rule => ({
  ...{ source: 'natter', label: `natter/${topics[topic]}` },
  ...{ title, check },
})
