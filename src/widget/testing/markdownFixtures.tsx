import { act } from '@testing-library/preact'
import { render } from 'preact'
import { en } from '../i18n/en.ts'
import { Markdown, type MarkdownProps } from '../markdown/index.ts'

/** Creates an element that Markdown can be rendered into. */
export function createFixture(): {
  /** Renders a text and returns its element. Another key means another message. */
  draw(text: string, props?: Partial<MarkdownProps>, key?: string): HTMLElement
} {
  const box = document.body.appendChild(document.createElement('div'))
  return {
    draw(text, props, key = '') {
      // `act` runs effects until the whole text is parsed.
      act(() => {
        render(<Markdown key={key} text={text} images={false} isStreaming={false} strings={en} {...props} />, box)
      })
      return box.querySelector('.markdown') as HTMLElement
    },
  }
}

/** A typical reply, with everything that Markdown can format. */
export const reply = `# Returns

You may return **anything** within *30 days*, ~~not 14~~ \`unworn\`; see [our page](https://acme.example/returns "Returns").

1. Print the label:
   \`\`\`sh
   acme label --order 1042
   \`\`\`
2. Pack it, **well**
   - the *receipt* too
   - and nothing else
3. Send it

> Keep the number of the parcel.

| Country | Days | Price |
|:--------|:----:|------:|
| Norway | 3 | 4,90 € |
| **Spain** | 5 | [ask](mailto:kim@acme.example) |

- [x] washed
- [ ] ironed

---

\`\`\`js
const total = items.reduce((sum, { price }) => sum + price, 0)
\`\`\`

これは**「強調」**です。ab**「強調」**は**50%**の 9~12, 13~18<br>~~『削除』~~です。

2. Next[^1]
  - below

Or write to kim@acme.example, or look at https://acme.example/help.
`

/** Returns the text of an element without spaces. */
export const words = (element: Element) => (element.textContent ?? '').replace(/\s/g, '')
