import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** The same condition as in panel.css. */
const small = '(max-width:479px),(max-height:419px)'

/** Whether the panel covers the whole screen; while it does, the rest of the page and the launcher are inert. */
export function useFullScreen(root: ShadowRoot): ReadonlySignal<boolean> {
  const fullScreen = useSignal(matchMedia(small).matches)
  useLayoutEffect(() => {
    const query = matchMedia(small)
    const update = () => {
      fullScreen.value = query.matches
    }
    query.addEventListener('change', update)
    return () => query.removeEventListener('change', update)
  }, [])
  useSignalEffect(() => {
    if (!fullScreen.value) return
    const others = [...document.body.children, root.querySelector('[part~=launcher]')].filter(
      // What the page itself made inert stays so afterwards.
      (each): each is HTMLElement => each instanceof HTMLElement && !each.contains(root.host) && !each.inert,
    )
    for (const each of others) each.inert = true
    return () => {
      for (const each of others) each.inert = false
    }
  })
  return fullScreen
}
