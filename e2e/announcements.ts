import type { Page } from '@playwright/test'

declare global {
  interface Window {
    /** What a screen reader would have read aloud, in order. */
    announced: string[]
  }
}

/**
 * Listens like a screen reader: what is added or changed in a live region is read aloud, unless something nearer says
 * `off`; where the region is busy, once it no longer is.
 */
export async function listen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
    const live = '[aria-live],[role=log],[role=status],[role=alert]'
    const waiting = new Map<Element, Set<Node>>()
    window.announced = []
    const read = (nodes: Iterable<Node>) => {
      const all = [...nodes].filter(node => node.isConnected)
      // One within another is read with it.
      const outer = all.filter(node => !all.some(other => other !== node && other.contains(node)))
      const words = outer.map(node => (node as HTMLElement).innerText ?? node.textContent)
      const text = words.join(' ').replace(/\s+/g, ' ').trim()
      if (text) window.announced.push(text)
    }
    new MutationObserver(records => {
      for (const { type, target, addedNodes } of records) {
        const changed = type === 'childList' ? [...addedNodes] : type === 'characterData' ? [target] : []
        for (const node of changed) {
          const element = node instanceof Element ? node : node.parentElement
          const region = element?.closest(live)
          if (!region || region.getAttribute('aria-live') === 'off') continue
          waiting.set(region, (waiting.get(region) ?? new Set()).add(node))
        }
      }
      for (const [region, nodes] of waiting) {
        if (region.closest('[aria-busy=true]')) continue
        waiting.delete(region)
        read(nodes)
      }
    }).observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['aria-busy'],
    })
  })
}
