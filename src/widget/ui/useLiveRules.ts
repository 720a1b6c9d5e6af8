import { useSignalEffect } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { Models } from '../core.ts'
import { accentRule } from './accent.ts'

/** Keeps the rules that depend on the running page: the accent, and the part of the screen that no keyboard covers. */
export function useLiveRules(root: ShadowRoot, sheet: CSSStyleSheet, { accent, conversation }: Models): void {
  const draw = () => {
    const site = accent ?? getComputedStyle(root.host).getPropertyValue('--natter-accent').trim()
    sheet.replaceSync(accentRule(asHex(site || conversation.bot.value?.accent)) + viewportRule())
  }
  useSignalEffect(draw)
  useLayoutEffect(() => {
    const viewport = window.visualViewport
    viewport?.addEventListener('resize', draw)
    viewport?.addEventListener('scroll', draw)
    return () => {
      viewport?.removeEventListener('resize', draw)
      viewport?.removeEventListener('scroll', draw)
    }
  }, [])
}

/** A canvas knows every notation of colours that the site's style sheet may use. */
function asHex(colour = ''): string {
  const brush = /^#[\da-f]{6}$/i.test(colour) || !colour ? null : document.createElement('canvas').getContext('2d')
  if (!brush) return colour
  brush.fillStyle = colour
  return brush.fillStyle
}

/** Zoomed in by two fingers, the visual viewport is a lens over the panel and not the room it has. */
function viewportRule(): string {
  const viewport = window.visualViewport
  return viewport && viewport.scale < 1.01 ? `.panel{--top:${viewport.offsetTop}px;--height:${viewport.height}px}` : ''
}
