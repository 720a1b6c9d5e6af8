import { useLayoutEffect, useState } from 'preact/hooks'
import { setAccent } from '../accentColors.ts'
import { useWidget } from '../WidgetContext.ts'

/** Sets the panel's accent colour to the bot's, unless the site has set one, which the launcher's styles apply. */
export function useAccent(root: ShadowRoot, panelStyle: CSSStyleDeclaration): void {
  const { botProfile } = useWidget().conversation
  // Read it before the panel is in the page, so that the browser doesn't compute its styles twice.
  const [siteAccent] = useState(() => getComputedStyle(root.host).getPropertyValue('--natter-accent'))
  const accent = botProfile.profile.value?.accent
  useLayoutEffect(() => {
    if (accent && !siteAccent) setAccent(panelStyle, accent)
  }, [accent])
}
