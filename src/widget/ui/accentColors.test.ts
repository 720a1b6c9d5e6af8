import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scale } from '../../testScale.ts'
import { setAccent } from './accentColors.ts'

type Colour = readonly number[]

const colours = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 255 })))
const hex = (colour: Colour) => `#${colour.map(part => part.toString(16).padStart(2, '0')).join('')}`
const parse = (text: string): Colour =>
  [1, 2, 3].map(at =>
    Number.parseInt(text.length > 4 ? text.slice(2 * at - 1, 2 * at + 1) : `${text[at]}${text[at]}`, 16),
  )

const luminance = (colour: Colour) => {
  const [red = 0, green = 0, blue = 0] = colour.map(part =>
    part > 10 ? ((part / 255 + 0.055) / 1.055) ** 2.4 : part / 3294,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (one: Colour, other: Colour) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function tokens(accent: string): Record<string, string> {
  const style = { cssText: '' }
  setAccent(style, accent)
  return Object.fromEntries([...style.cssText.matchAll(/(--[\w-]+):(.*?);/g)].map(([, name, value]) => [name, value]))
}

/** The colours that a browser computes from the custom properties. */
function computed(colour: Colour) {
  const values = tokens(hex(colour))
  const pick = (name: string, theme: string) => {
    const [, value = ''] = new RegExp(`var\\(--if-${theme},(#\\w+|color-mix.*?\\))\\)`).exec(values[name] ?? '') ?? []
    const [, mixed, other = '#000', percent = 0] = /color-mix\(in srgb,(#\w+),(#\w+) (\d+)%/.exec(value) ?? []
    const share = Number(percent) / 100
    const added = parse(other)
    return parse(mixed ?? value).map((part, index) => part * (1 - share) + (added[index] ?? 0) * share)
  }
  return {
    light: pick('--accent', 'light'),
    dark: pick('--accent', 'dark'),
    onLight: pick('--on-accent', 'light'),
    onDark: pick('--on-accent', 'dark'),
    textLight: pick('--accent-text', 'light'),
    textDark: pick('--accent-text', 'dark'),
    hasEdge: values['--accent-edge']?.includes('--field'),
  }
}

describe('setAccent', () => {
  test('puts white on the accent wherever it has text contrast, else black, which has it then', () => {
    fc.assert(
      fc.property(colours, colour => {
        const { light, dark, onLight, onDark } = computed(colour)
        expect(light).toEqual(colour)
        expect(contrast(light, onLight)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(dark, onDark)).toBeGreaterThanOrEqual(4.5)
        if (contrast(light, parse('#fff')) > 4.6) expect(onLight).toEqual(parse('#fff'))
      }),
      { seed: scale.seed },
    )
  })

  test('lightens the accent until it has text contrast on the dark surface, and keeps colours that already do', () => {
    fc.assert(
      fc.property(colours, colour => {
        const { dark } = computed(colour)
        expect(contrast(dark, parse('#15171c'))).toBeGreaterThanOrEqual(4.5)
        if (contrast(colour, parse('#15171c')) > 5.4) expect(dark).toEqual(colour)
      }),
      { seed: scale.seed },
    )
  })

  test('text in the accent has text contrast, on the surface and where that is tinted with the accent', () => {
    const tint = (surface: Colour, accent: Colour) =>
      surface.map((part, index) => part * 0.92 + (accent[index] ?? 0) * 0.08)
    fc.assert(
      fc.property(colours, colour => {
        const { textLight, textDark } = computed(colour)
        for (const [text, surface] of [
          [textLight, parse('#fff')],
          [textDark, parse('#15171c')],
        ] as const) {
          expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5)
          expect(contrast(text, tint(surface, text))).toBeGreaterThanOrEqual(4.5)
        }
      }),
      { seed: scale.seed },
    )
  })

  test('an accent that is hardly seen on the light surface has an edge, and no other', () => {
    fc.assert(
      fc.property(colours, colour => {
        const seen = contrast(colour, parse('#fff'))
        if (seen < 1.28) expect(computed(colour).hasEdge).toBe(true)
        if (seen > 1.34) expect(computed(colour).hasEdge).toBe(false)
      }),
      { seed: scale.seed },
    )
  })

  test('sets nothing for invalid colours or injected CSS', () => {
    for (const text of ['', 'red', '#12', '#3b5bdb}*{display:none', 'url(https://evil.example)', '#3b5bdbff'])
      expect(tokens(text)).toEqual({})
  })
})
