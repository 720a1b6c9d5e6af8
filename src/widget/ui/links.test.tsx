import { render } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { linkify } from './links.tsx'

const draw = (text: string) => render(<p>{linkify(text)}</p>).container
const linksIn = (text: string) => [...draw(text).querySelectorAll('a')].map(link => link.getAttribute('href'))

describe('linkify', () => {
  test('keeps every character of the text', () => {
    const text = 'See https://a.example/b?c=d#e, (http://b.example) or\nmailto:kim@acme.example.'
    expect(draw(text).textContent).toBe(text)
    expect(linksIn(text)).toEqual(['https://a.example/b?c=d#e', 'http://b.example', 'mailto:kim@acme.example'])
  })

  test('opens a new tab that knows nothing of this one', () => {
    const link = draw('https://a.example').querySelector('a')
    expect(link?.target).toBe('_blank')
    expect(link?.rel).toBe('noopener noreferrer')
  })

  test('links no other scheme and draws markup as text', () => {
    const text =
      '<img src=x onerror=alert(1)> javascript:alert(1) data:text/html,x vbscript:x <b>bold</b> ftp://a.example'
    const box = draw(text)
    expect(box.textContent).toBe(text)
    expect(box.querySelectorAll('p *')).toHaveLength(0)
  })
})
