/** The direction of a log line, also its CSS class. */
export type Direction = 'browser-shop' | 'shop-platform' | 'browser-platform' | 'event'

export interface LogLine {
  direction: Direction
  text: string
  /** HTTP status, `undefined` for an event. */
  status?: number | undefined
  /** What authenticates the request, or details of the event. */
  detail?: string | undefined
}

/** For screen readers, which do not read the arrow. */
const directionLabels: Record<Direction, string> = {
  'browser-shop': 'Browser to shop:',
  'shop-platform': 'Shop to platform:',
  'browser-platform': 'Browser to platform:',
  event: 'Widget event:',
}
const maxLines = 200

/** The live log, newest line last. Scrolls to the end unless the reader has scrolled up. */
export function createLog(list: HTMLElement): { add(line: LogLine): void; clear(): void } {
  return {
    add({ direction, text, status, detail }) {
      const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 24
      const item = document.createElement('li')
      item.className = direction
      item.append(part('span', 'from', directionLabels[direction]), part('code', 'what', text))
      if (status !== undefined) item.append(part('span', status < 400 ? 'status' : 'status bad', String(status)))
      if (detail) item.append(part('span', 'detail', detail))
      item.append(part('time', 'time', new Date().toLocaleTimeString('en-GB')))
      list.append(item)
      while (list.childElementCount > maxLines) list.firstElementChild?.remove()
      if (isAtEnd) list.scrollTop = list.scrollHeight
    },
    clear: () => list.replaceChildren(),
  }
}

function part(tag: string, className: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}
