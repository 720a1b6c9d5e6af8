import type { Clock } from '../environment/clock.ts'

/** Has screen readers announce texts. */
export interface Announcer {
  /** `lang` is the language of the text, a BCP 47 tag. An empty text ends the announcement. */
  announce(text: string, lang: string): void
  end(): void
}

/** Adds an element to `layer` that only screen readers see. */
export function createAnnouncer(layer: HTMLElement, clock: Pick<Clock, 'setTimeout'>): Announcer {
  const status = layer.appendChild(document.createElement('span'))
  status.className = 'unread'
  status.setAttribute('role', 'status')
  let cancelTimer = () => {}
  return {
    announce(text, lang) {
      cancelTimer()
      status.textContent = ''
      status.lang = lang
      // Screen readers announce only changes of a status, so set the text a moment after the element was added.
      cancelTimer = clock.setTimeout(() => {
        status.textContent = text
      }, 100)
    },
    end() {
      cancelTimer()
      status.remove()
    },
  }
}
