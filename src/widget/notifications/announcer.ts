import type { Clock } from '../environment/clock.ts'

/** Has screen readers announce texts, by an element in `layer` that is not seen. */
export function createAnnouncer(layer: HTMLElement, clock: Clock) {
  const status = layer.appendChild(document.createElement('span'))
  status.className = 'unread'
  status.setAttribute('role', 'status')
  let cancelTimer = () => {}
  return {
    /** `lang` is the language of the text, a BCP 47 tag. */
    announce(text: string, lang: string): void {
      cancelTimer()
      status.textContent = ''
      status.lang = lang
      // Screen readers announce only changes of a status, so set the text a moment after the element was added.
      cancelTimer = clock.setTimeout(() => {
        status.textContent = text
      }, 100)
    },
    end(): void {
      cancelTimer()
      status.remove()
    },
  }
}
