import { effect } from '@preact/signals-core'
import type { ConversationModel } from '../state/conversation.ts'

// WCAG 2.2 contrast is (lighter + 0.05) / (darker + 0.05) of the luminances; white has 1, black 0.

/** At this luminance black and white contrast alike: (x + 0.05)² = 1.05 × 0.05. */
const middle = 0.179

/** 4.5 : 1 (AA) on `--surface` of tokens.css in the dark, #15171c, whose luminance is 0.0087. */
const brightEnough = 0.2145

/** Red, green and blue from 0 to 255 of `#rrggbb`; `null` for everything else. */
export function parseColour(hex: string): number[] | null {
  return /^#[\da-f]{6}$/i.test(hex) ? [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16)) : null
}

/** WCAG's relative luminance, 0 to 1. */
export function luminance(colour: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = colour.map(part =>
    part > 10 ? ((part / 255 + 0.055) / 1.055) ** 2.4 : part / 3294,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever is read better on that ground. */
export function inkOn(ground: readonly number[]): string {
  return luminance(ground) > middle ? '#000' : '#fff'
}

/** The colour mixed with white until it stands out from the dark surface as text must; black is read best on it. */
export function lightened(colour: readonly number[]): readonly number[] {
  return luminance(colour) < brightEnough ? lightened(colour.map(part => Math.ceil(part + (255 - part) / 16))) : colour
}

/** The panel's own values for an accent; none for what is no colour, so that the default of tokens.css stays. */
export function accentTokens(accent: string): [name: string, value: string][] {
  const colour = parseColour(accent)
  return colour
    ? [
        ['--accent', `var(--l,rgb(${colour}))var(--d,rgb(${lightened(colour)}))`],
        ['--on-accent', `var(--l,${inkOn(colour)})var(--d,#000)`],
      ]
    : []
}

/** Keeps the panel's accent: the site's, else the bot's own. */
export function watchAccent(host: Element, style: CSSStyleDeclaration, { bot }: ConversationModel): () => void {
  return effect(() => {
    const wanted = getComputedStyle(host).getPropertyValue('--natter-accent').trim() || bot.value?.accent || ''
    for (const [name, value] of accentTokens(wanted)) style.setProperty(name, value)
  })
}
