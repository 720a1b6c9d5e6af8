import { describe, expect, it } from 'vitest'
import { html, type Part, textOf } from './html.ts'

describe('html', () => {
  it('escapes every value, in text and in attributes', () => {
    const hostile = `<img src=x onerror='alert("1")'>&amp;`
    const escaped = '&lt;img src=x onerror=&#39;alert(&quot;1&quot;)&#39;&gt;&amp;amp;'
    expect(textOf(html`<p title="${hostile}">${hostile}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`)
    expect(textOf(html`${[hostile, [hostile]]}`)).toBe(escaped + escaped)
  })

  it('does not escape its own results, and renders nothing for missing values', () => {
    expect(textOf(html`<ul>${['a', '<b>'].map(item => html`<li>${item}</li>`)}</ul>`)).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>',
    )
    expect(textOf(html`a${null}${undefined}${false}${true}${0}b`)).toBe('a0b')
  })

  it('escapes objects that only look like its results', () => {
    const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}') as Part
    expect(() => textOf(html`${forged}`)).toThrow(TypeError)
  })
})
