import { en, type OwnStrings } from '../i18n/en.ts'
import type { ReportProblem } from '../loader/problems.ts'

/** Reports keys of the option `strings` that no text of the widget has. */
export function checkStrings(given: OwnStrings = {}, report: ReportProblem): void {
  if (Object.keys(given).some(name => !(name in en))) report({ code: 'unknown_texts', given, known: en })
}
