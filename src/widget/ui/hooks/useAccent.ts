import { useLayoutEffect, useState } from 'preact/hooks'
import { setAccent } from '../accentColors.ts'
import { useWidget } from '../WidgetContext.ts'

/** Keeps the panel's accent colour: the bot's own, unless the site has set one, which the launcher's styles apply. */
export function useAccent(root: ShadowRoot, panelStyle: CSSStyleDeclaration): void {
  const { botProfile } = useWidget().conversation
  // Read before the panel is in the page, so that the browser does not compute its styles twice.
  const [siteAccent] = useState(() => getComputedStyle(root.host).getPropertyValue('--natter-accent'))
  const accent = botProfile.profile.value?.accent
  useLayoutEffect(() => {
    if (accent && !siteAccent) setAccent(panelStyle, accent)
  }, [accent])
}
