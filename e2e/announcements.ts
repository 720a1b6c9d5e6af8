import type { Page } from '@playwright/test'

declare global {
  interface Window {
    /** What a screen reader would have announced, in order. */
    announced: string[]
  }
}

/**
 * Records what a screen reader would announce: text added or changed in a live region, unless a closer ancestor is
 * `aria-live="off"`. A busy region is announced when it is no longer busy.
 */
export async function recordAnnouncements(page: Page): Promise<void> {
  await page.evaluate(() => {
    const root = document.querySelector('[data-natter]')?.shadowRoot as ShadowRoot
    const liveRegions = '[aria-live],[role=log],[role=status],[role=alert]'
    const pending = new Map<Element, Set<Node>>()
    window.announced = []
    const announce = (nodes: Iterable<Node>) => {
      const all = [...nodes].filter(node => node.isConnected)
      // A node inside another one is announced with it.
      const outer = all.filter(node => !all.some(other => other !== node && other.contains(node)))
      const texts = outer.map(node => (node as HTMLElement).innerText ?? node.textContent)
      const text = texts.join(' ').replace(/\s+/g, ' ').trim()
      if (text) window.announced.push(text)
    }
    new MutationObserver(records => {
      for (const { type, target, addedNodes } of records) {
        const changed = type === 'childList' ? [...addedNodes] : type === 'characterData' ? [target] : []
        for (const node of changed) {
          const element = node instanceof Element ? node : node.parentElement
          const region = element?.closest(liveRegions)
          if (!region || region.getAttribute('aria-live') === 'off') continue
          pending.set(region, (pending.get(region) ?? new Set()).add(node))
        }
      }
      for (const [region, nodes] of pending) {
        if (region.closest('[aria-busy=true]')) continue
        pending.delete(region)
        announce(nodes)
      }
    }).observe(root, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['aria-busy'],
    })
  })
}
