import type { Page } from '@playwright/test'

declare global {
  interface Window {
    /** What the page and the chat have shown, frame by frame. */
    shownTexts?: string[]
  }
}

function record() {
  const texts: string[] = []
  window.shownTexts = texts
  const recordFrame = () => {
    const shadow = document.querySelector('[data-natter]')?.shadowRoot
    const typed = shadow?.querySelector('textarea')?.value
    const text = `${document.title} ${document.body?.textContent} ${shadow?.textContent} ${typed}`
    if (text !== texts.at(-1)) texts.push(text)
    requestAnimationFrame(recordFrame)
  }
  recordFrame()
}

/** Records what each frame shows from now on. */
export const recordFrames = (page: Page): Promise<void> => page.evaluate(record)

/** Records what each frame of the pages loaded from now on shows, from their beginning on. */
export const recordFramesOfNextPage = (page: Page): Promise<unknown> => page.addInitScript(record)

/** All that has been shown since. */
export const shownTexts = (page: Page): Promise<string> =>
  page.evaluate(() => (window.shownTexts ?? ['nothing was recorded']).join('\n'))
