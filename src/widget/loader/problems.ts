/** Reports a mistake of the site. `section` is that of the widget's guide which says what is right. */
export type ReportProblem = (what: string, section?: string) => void

/** Creates a function that names a mistake in the console, with the address of the guide, which each platform has. */
export const createReporter =
  (baseUrl = '<your platform>'): ReportProblem =>
  (what, section) =>
    console.warn(`Natter: ${what}. See ${guideAddress(baseUrl, section)}`)

/** The address of a section of the widget's guide. */
export const guideAddress = (baseUrl: string, section = 'options'): string =>
  `${`${baseUrl}`.replace(/\/+$/, '')}/docs/widget#${section}`
