import { describe, expect, it } from 'vitest'
import { renderMail } from './renderMail.ts'
import { renderPage } from './renderPage.ts'

const hostile = '<img src=x onerror=alert(1)>"&\'</title></style>'
const content = {
  locale: 'en',
  subject: `New\nfrom ${hostile}`,
  paragraphs: [{ text: `First line\n${hostile}`, author: hostile }, { text: hostile }],
  link: { text: hostile, url: 'https://shop.example/?a=1&b=%22#natter' },
  footer: { text: hostile, link: { text: hostile, url: 'https://chat.example/"><script>' } },
}

describe('renderMail', () => {
  it('shows every text as it is, and makes no HTML of it', () => {
    const { subject, text, html } = renderMail(content)
    expect(subject).toBe(`New from ${hostile}`)
    expect(text).toContain(`${hostile}:\n\n    First line\n    ${hostile}\n\n${hostile}\n\n`)
    expect(html).not.toMatch(/<img|<script|onerror=alert\(1\)>"/)
    expect(html.match(/&lt;img src=x onerror=alert\(1\)&gt;&quot;&amp;&#39;&lt;\/title&gt;/g)).toHaveLength(8)
    expect(html).toContain('First line<br>&lt;img')
    expect(html).toContain('href="https://shop.example/?a=1&amp;b=%22#natter"')
  })

  it('loads nothing from anywhere', () => {
    const { html } = renderMail({ ...content, link: { text: 'a', url: 'b' }, footer: { text: 'a' } })
    expect(html).not.toMatch(/https?:|url\(|\ssrc="|<link|@import/)
  })

  it('is written from the right in Arabic', () => {
    expect(renderMail({ ...content, locale: 'ar' }).html).toContain('<html lang="ar" dir="rtl">')
    expect(renderMail({ ...content, locale: 'zh-Hant' }).html).toContain('<html lang="zh-Hant" dir="ltr">')
  })
})

it('a page shows its text as it is, and sends only what its button says', () => {
  const page = renderPage({ locale: 'he', text: hostile, button: { text: hostile, action: 'stop' } })
  expect(page).toContain('<html lang="he" dir="rtl">')
  expect(page).not.toMatch(/<img|<script/)
  expect(page).toContain('<form method="post"><button name="action" value="stop">&lt;img')
  expect(renderPage({ locale: 'en', text: 'Done.' })).not.toContain('<form')
})
