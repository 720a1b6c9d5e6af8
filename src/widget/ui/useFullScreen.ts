import { effect, type Signal } from '@preact/signals-core'
import { listen } from './listen.ts'

/**
 * Tells the panel's rule what part of the screen no keyboard covers, and whether the panel covers the whole of it;
 * while it does, the rest of the page and the launcher are inert.
 */
export function watchScreen(
  root: ShadowRoot,
  style: CSSStyleDeclaration,
  fullScreen: Signal<boolean>,
  isInline: boolean,
): (() => void)[] {
  const viewport = window.visualViewport as VisualViewport
  const place = () => {
    // The same condition as in panel.css.
    // As a part of the page it covers nothing.
    fullScreen.value = !isInline && matchMedia('(max-width:479px),(max-height:419px)').matches
    // Zoomed in by two fingers, the visual viewport is a lens over the panel and not the room it has.
    if (viewport.scale > 1.01) return
    const { offsetTop, height } = viewport
    style.setProperty('--top', `${offsetTop}px`)
    style.setProperty('--height', `${height}px`)
  }
  place()
  return [
    listen(viewport, 'resize', place),
    listen(viewport, 'scroll', place),
    effect(() => {
      if (!fullScreen.value) return
      const others = [...document.body.children, ...root.querySelectorAll('.launcher')].filter(
        // What the page itself made inert stays so afterwards.
        (each): each is HTMLElement => !each.contains(root.host) && !(each as HTMLElement).inert,
      )
      const setInert = (inert: boolean) => {
        for (const each of others) each.inert = inert
      }
      setInert(true)
      // Nothing covers a page that has thrown the chat out, until it is back.
      const observer = new MutationObserver(() => setInert(root.host.isConnected))
      observer.observe(document.body, { childList: true })
      return () => {
        observer.disconnect()
        setInert(false)
      }
    }),
  ]
}
