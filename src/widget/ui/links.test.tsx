import { render } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { growth, linearGrowth } from '../../contract/testing/growth.ts'
import { hiddenDestination, linkify, trimAddress } from './links.tsx'

const draw = (text: string) => render(<p>{linkify(text)}</p>).container
const linksIn = (text: string) => [...draw(text).querySelectorAll('a')].map(link => link.getAttribute('href'))

describe('linkify', () => {
  test('keeps every character of the text', () => {
    const text = 'See https://a.example/b?c=d#e, (http://b.example) or\nmailto:kim@acme.example.'
    expect(draw(text).textContent).toBe(text)
    expect(linksIn(text)).toEqual(['https://a.example/b?c=d#e', 'http://b.example', 'mailto:kim@acme.example'])
  })

  test.each([
    ['Write to care@acme.example.', 'care@acme.example'],
    ['(ada.lovelace+chat@mail.acme-outfitters.example)', 'ada.lovelace+chat@mail.acme-outfitters.example'],
    ['mailto:kim@acme.example', 'kim@acme.example'],
    ["o'brien@acme.example", "o'brien@acme.example"],
    ["‘o'brien@acme.example’ or 'o'brien@acme.example'", "o'brien@acme.example"],
    ['jörg@bücher.example', 'jörg@bücher.example'],
    ['nguye\u0302\u0303n@acme.example', 'nguye\u0302\u0303n@acme.example'],
    ['пётр1@почта.example', 'пётр1@почта.example'],
    ['メールはkim@acme.exampleへ。', 'kim@acme.example'],
    ['*kim@acme.example*', 'kim@acme.example'],
  ])('links an email address: %s', (text, address) => {
    expect(draw(text).textContent).toBe(text)
    expect([...new Set(linksIn(text))]).toEqual([`mailto:${address}`])
  })

  test.each([
    ...['@ada', 'a@b', 'at 5 @ 3', `${'a'.repeat(65)}@acme.example`, 'a@.example', '@ada@acme.example'],
    ...['bounce=ada=a.example@b.example', 'x!ada@acme.example', 'ada@acme.example@b.example'],
  ])('links no email address, and no part of one, in %s', text => {
    expect(draw(text).textContent).toBe(text)
    expect(linksIn(text)).toEqual([])
  })

  test('opens links in a new tab that cannot reach this one', () => {
    const link = draw('https://a.example').querySelector('a')
    expect(link?.target).toBe('_blank')
    expect(link?.rel).toBe('noopener noreferrer')
  })

  test('links no other scheme and shows HTML as text', () => {
    const text =
      '<img src=x onerror=alert(1)> javascript:alert(1) data:text/html,x vbscript:x <b>bold</b> ftp://a.example'
    const box = draw(text)
    expect(box.textContent).toBe(text)
    expect(box.querySelectorAll('p *')).toHaveLength(0)
  })

  test.each(['https://', 'http://.', 'mailto:!', 'https://)'])('does not link a scheme without a host: %s', text => {
    expect(draw(text).textContent).toBe(text)
    expect(linksIn(text)).toEqual([])
  })

  test.each([
    ['https://en.example/wiki/Boot_(shoe)', 'https://en.example/wiki/Boot_(shoe)'],
    ['(https://en.example/wiki/Boot_(shoe))', 'https://en.example/wiki/Boot_(shoe)'],
    ['See https://a.example/f(g(x)).', 'https://a.example/f(g(x))'],
    ['(see https://a.example/b).', 'https://a.example/b'],
    ['[https://a.example/b]', 'https://a.example/b'],
    ['https://a.example/?ids[]', 'https://a.example/?ids[]'],
    ['https://a.example/b)))', 'https://a.example/b'],
    ['“https://a.example/b!?”…', 'https://a.example/b'],
    ['„https://a.example/b“', 'https://a.example/b'],
    ['詳細はhttps://a.example/b。次の文', 'https://a.example/b'],
    ['见https://a.example/b，然后（https://a.example/b）和“https://a.example/b”是', 'https://a.example/b'],
    ['「https://a.example/b」を', 'https://a.example/b'],
    ['https://a.example/b——然后', 'https://a.example/b'],
    ['https://a.example/佐々木・花', 'https://a.example/佐々木・花'],
  ])('keeps balanced brackets in a URL, and excludes those around it: %s', (text, address) => {
    expect(draw(text).textContent).toBe(text)
    expect([...new Set(linksIn(text))]).toEqual([address])
  })

  test('shows the host of a URL whose user name looks like a host', () => {
    expect(draw('https://bank.example@evil.example/').textContent).toBe(
      'https://bank.example@evil.example/ (evil.example)',
    )
  })
})

describe('hiddenDestination', () => {
  test.each([
    ['https://bank.example', 'https://evil.example/login', 'evil.example'],
    ['bank.example', 'https://evil.example', 'evil.example'],
    ['Log in at www.bank.example/account', 'https://evil.example', 'evil.example'],
    ['bank.example', 'https://bank.example.evil.example', 'bank.example.evil.example'],
    ['https://bank.example', 'https://bank.example@evil.example', 'evil.example'],
    ['https://bank.example@evil.example', 'https://evil.example/', 'evil.example'],
    ['evil.example, once bank.example', 'https://evil.example', 'evil.example'],
    ['ban\u200bk.exa\u00admple', 'https://evil.example', 'evil.example'],
    ['bank\uff0eexample', 'https://evil.example', 'evil.example'],
    ['https://bаnk.example', 'https://bank.example', 'bank.example'],
    ['http://localhost', 'https://evil.example', 'evil.example'],
    ['127.0.0.1', 'https://evil.example', 'evil.example'],
    ['kim@acme.example', 'https://evil.example', 'evil.example'],
    ['kim@acme.example', 'mailto:kim@evil.example', 'kim@evil.example'],
    ['https://bank.example', 'mailto:kim@evil.example', 'kim@evil.example'],
    ['Call us', 'tel:+4712', '+4712'],
    ['+47 13', 'tel:+4712', '+4712'],
  ])('returns the destination of a link whose text names another one: %s → %s', (text, href, destination) => {
    expect(hiddenDestination(text, href)).toBe(destination)
  })

  test.each([
    ['our page', 'https://acme.example'],
    ['4.90 € for 1.2.3', 'https://acme.example'],
    ['https://acme.example', 'https://acme.example/?from=chat'],
    ['WWW.Acme.example/shoes', 'https://acme.example/shoes'],
    ['acme.example.', 'https://www.acme.example'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://archive.example/https://bank.example/', 'https://archive.example/https://bank.example/'],
    ['https://acme.example/report_(bank.example)', 'https://acme.example/report_(bank.example)'],
    ['Kim@acme.example', 'mailto:kim@acme.example'],
    ['mailto:kim@acme.example', 'mailto:kim@acme.example'],
    ['acme.example:8443', 'https://acme.example:8443'],
    ['Call (+47) 1-2', 'tel:+4712'],
  ])('returns nothing if the text names no other destination: %s → %s', (text, href) => {
    expect(hiddenDestination(text, href)).toBeUndefined()
  })
})

describe('ten times the text costs at most fifteen times as much', () => {
  test.each([
    ['addresses', 'https://a.example/(b) '],
    ['schemes', 'https://'],
    ['an address with many brackets', '('],
    ['an address with many closing brackets', ')'],
    ['dots', '.'],
    ['at signs', '@'],
    ['email addresses', ' ada@acme.example'],
    ['what could begin an email address', 'a+'],
  ])('%s', (_, unit) => {
    const text = (length: number) => `https://a${unit.repeat(length / unit.length)}`
    expect(growth(linkify, text)).toBeLessThanOrEqual(linearGrowth)
    expect(growth(trimAddress, text)).toBeLessThanOrEqual(linearGrowth)
    expect(growth(text => hiddenDestination(text, 'https://b.example'), text)).toBeLessThanOrEqual(linearGrowth)
  })
})
