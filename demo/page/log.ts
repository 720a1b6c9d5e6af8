/** Who speaks to whom in a line of the log; also the line's class. */
export type Lane = 'browser-shop' | 'shop-platform' | 'browser-platform' | 'event'

export interface Line {
  lane: Lane
  text: string
  /** HTTP status, or nothing for an event. */
  status?: number | undefined
  /** What authenticates the request, or more of the event. */
  detail?: string | undefined
}

/** For whoever doesn't see the arrow. */
const arrows: Record<Lane, string> = {
  'browser-shop': 'Browser to shop:',
  'shop-platform': 'Shop to platform:',
  'browser-platform': 'Browser to platform:',
  event: 'Widget event:',
}
const kept = 200

/** The live log, newest line last; follows its end unless the reader has scrolled up. */
export function createLog(list: HTMLElement): { add(line: Line): void; clear(): void } {
  return {
    add({ lane, text, status, detail }) {
      const follows = list.scrollHeight - list.scrollTop - list.clientHeight < 24
      const item = document.createElement('li')
      item.className = lane
      item.append(part('span', 'from', arrows[lane]), part('code', 'what', text))
      if (status !== undefined) item.append(part('span', status < 400 ? 'status' : 'status bad', String(status)))
      if (detail) item.append(part('span', 'detail', detail))
      item.append(part('time', 'time', new Date().toLocaleTimeString('en-GB')))
      list.append(item)
      while (list.childElementCount > kept) list.firstElementChild?.remove()
      if (follows) list.scrollTop = list.scrollHeight
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
