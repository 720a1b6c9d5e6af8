import { useLayoutEffect, useState } from 'preact/hooks'
import { setAccent } from '../accentColors.ts'
import { useWidget } from '../WidgetContext.ts'

/** Sets the panel's accent colour: the site's, else the bot's. */
export function useAccent(root: ShadowRoot, panelStyle: CSSStyleDeclaration): void {
  const { botProfile } = useWidget().conversation
  // Read it before the panel is in the page, so that the browser doesn't compute its styles twice.
  const [siteAccent] = useState(() => getComputedStyle(root.host).getPropertyValue('--natter-accent'))
  const accent = siteAccent || botProfile.profile.value?.accent
  useLayoutEffect(() => {
    if (accent) setAccent(panelStyle, accent)
  }, [accent])
}
