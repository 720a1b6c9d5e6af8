import { h, render } from 'preact'
import { en } from '../i18n/en.ts'
import { createMarkdown, type MarkdownText } from '../markdown/index.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { link } from '../ui/links.tsx'

/** What draws Markdown, with a box to draw into. */
export function createFixture(): {
  root: ShadowRoot
  /** Draws a text, the same one as before by default, and gives the element that holds it. */
  draw(text: string, more?: Partial<MarkdownText>, owner?: object): HTMLElement
} {
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
  const box = root.appendChild(document.createElement('div'))
  const markdown = createMarkdown(root, {
    h,
    link,
    iconButton: (label, path, onClick, more) => <IconButton {...{ label, path, onClick, ...more }} />,
    strings: () => en,
  })
  const only = {}
  return {
    root,
    draw(text, more, owner = only) {
      render(<div>{markdown(owner, { text, images: false, growing: false, ...more })}</div>, box)
      return box.querySelector('.markdown') as HTMLElement
    },
  }
}

/** What a model writes: everything that is drawn otherwise than plain text. */
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

Or write to kim@acme.example, or look at https://acme.example/help.
`

/** What is said, but for spaces. */
export const words = (element: Element) => (element.textContent ?? '').replace(/\s/g, '')
