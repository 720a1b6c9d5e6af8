import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { useListener } from './useListener.ts'

/** Whether the panel covers the whole screen; while it does, the rest of the page and the launcher are inert. */
export function useFullScreen(root: ShadowRoot): ReadonlySignal<boolean> {
  // The same condition as in panel.css.
  const query = matchMedia('(max-width:479px),(max-height:419px)')
  const fullScreen = useSignal(query.matches)
  useListener(query, 'change', () => {
    fullScreen.value = query.matches
  })
  // A layout effect, since its undoing runs at once: the launcher, which gets the focus back, must not be inert by then.
  useLayoutEffect(() => {
    if (!fullScreen.value) return
    const others = [...document.body.children, ...root.querySelectorAll('[part~=launcher]')].filter(
      // What the page itself made inert stays so afterwards.
      (each): each is HTMLElement => !each.contains(root.host) && !(each as HTMLElement).inert,
    )
    for (const each of others) each.inert = true
    return () => {
      for (const each of others) each.inert = false
    }
  }, [fullScreen.value])
  return fullScreen
}
