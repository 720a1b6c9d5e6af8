import type { Page } from '@playwright/test'

declare global {
  interface Window {
    /** What page and chat have shown in each frame. */
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

/** Records what each frame shows on pages that are loaded from now on. */
export const recordFramesOfNextPage = (page: Page): Promise<unknown> => page.addInitScript(record)

/** Returns everything that was shown since. Rejects if nothing was recorded. */
export const shownTexts = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const texts = window.shownTexts
    if (!texts) throw new Error('No frame was recorded')
    // What a locator has found may not be painted yet. The recorder sees the next frame before this does.
    await new Promise(requestAnimationFrame)
    return texts.join('\n')
  })
