import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accentTokens, inkOn, lightened, luminance, parseColour } from './accent.ts'

const colour = fc.tuple(...([0, 1, 2].map(() => fc.integer({ min: 0, max: 255 })) as [fc.Arbitrary<number>]))

const contrast = (one: readonly number[], other: readonly number[]) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe('inkOn', () => {
  test('is black or white, whichever contrasts more, and so always AA', () => {
    fc.assert(
      fc.property(colour, ground => {
        const ink = parseColour(inkOn(ground) === '#000' ? '#000000' : '#ffffff') ?? []
        const other = ink.map(part => 255 - part)
        expect(contrast(ground, ink)).toBeGreaterThanOrEqual(4.5)
        // Where both are alike to a hundredth, either is right.
        expect(contrast(ground, ink) + 0.02).toBeGreaterThanOrEqual(contrast(ground, other))
      }),
    )
  })
})

describe('lightened', () => {
  test('stands out from the dark surface as text must, and leaves alone what already does', () => {
    const surface = parseColour('#15171c') ?? []
    fc.assert(
      fc.property(colour, accent => {
        const light = lightened(accent)
        expect(contrast(light, surface)).toBeGreaterThanOrEqual(4.5)
        if (contrast(accent, surface) > 4.52) expect(light).toEqual(accent)
      }),
    )
  })
})

describe('accentTokens', () => {
  test('says both themes, each with its ink', () => {
    expect(accentTokens('#ffd43b')).toEqual([
      ['--accent', 'var(--l,rgb(255,212,59))var(--d,rgb(255,212,59))'],
      ['--on-accent', 'var(--l,#000)var(--d,#000)'],
    ])
    expect(accentTokens('#5c0011')).toContainEqual(['--on-accent', 'var(--l,#fff)var(--d,#000)'])
  })

  test('is empty for anything but a colour, whatever it would inject', () => {
    for (const text of ['', 'red', '#12', '#3b5bdb}*{display:none', 'url(https://evil.example)', '#3b5bdbff'])
      expect(accentTokens(text)).toEqual([])
  })
})
