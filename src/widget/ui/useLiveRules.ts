import { useSignalEffect } from '@preact/signals'
import type { Models } from '../core.ts'
import { accentRule } from './accent.ts'
import { useListener } from './useListener.ts'

/** Keeps the rules that depend on the running page: the accent, and the part of the screen that no keyboard covers. */
export function useLiveRules(root: ShadowRoot, sheet: CSSStyleSheet, { accent, conversation }: Models): void {
  const viewport = window.visualViewport
  const draw = () => {
    const wanted =
      accent || getComputedStyle(root.host).getPropertyValue('--natter-accent') || conversation.bot.value?.accent || ''
    sheet.replaceSync(
      accentRule(asHex(wanted)) +
        // Zoomed in by two fingers, the visual viewport is a lens over the panel and not the room it has.
        (viewport && viewport.scale < 1.01
          ? `.panel{--top:${viewport.offsetTop}px;--height:${viewport.height}px}`
          : ''),
    )
  }
  useSignalEffect(draw)
  useListener(viewport, 'resize', draw)
  useListener(viewport, 'scroll', draw)
}

/** A canvas knows every notation of colours that a site's style sheet may use. */
function asHex(colour: string): string {
  const brush = colour && document.createElement('canvas').getContext('2d')
  if (!brush) return colour
  brush.fillStyle = colour
  return brush.fillStyle
}
