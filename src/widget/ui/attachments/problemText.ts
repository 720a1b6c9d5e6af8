import type { FileProblem } from '../../conversation/attachments/uploadAttempts.ts'
import type { Strings } from '../../i18n/en.ts'

/** Returns what the visitor reads about a file that can't be sent. */
export function problemText(problem: FileProblem, strings: Strings): string {
  switch (problem) {
    case 'empty':
      return strings.fileEmpty
    case 'tooLarge':
      return strings.fileTooLarge
    case 'refused':
      return strings.fileRefused
    case 'full':
      return strings.filesFull
    case 'network':
    case 'missing':
      return strings.uploadFailed
  }
}
