import { setTimeout } from 'node:timers/promises'
import type { Responder } from 'natter/platform'

/** What the page's button asks, and everything that an answer may be made of. */
const question = 'Show me what you can write'
const answer = `Gladly. An answer may hold **bold** and *italic* words, \`code\`, and [links](https://example.com/).

## Lists

1. Wash it inside out
2. Dry it flat
   - never in the sun
   - never on a radiator
3. ~~Iron it~~ Leave it be

> Airing it overnight is often enough.

| Piece | Wash | Dry |
|:--|--:|:--|
| Merino sweater | 30 °C | flat |
| Linen shirt | 60 °C | on the line |

\`\`\`js
const shop = 'Acme Outfitters'
console.log(\`Kept for years by \${shop}\`)
\`\`\`

---

And [this one](javascript:alert(1)) goes nowhere.`

/** A responder that shows off its Markdown where it is asked for just that; anything else is another's to answer. */
export function withMarkdown(other: Responder): Responder {
  return {
    async *answer(turn, signal) {
      if (turn.messages.at(-1)?.text !== question) return yield* other.answer(turn, signal)
      yield { format: 'markdown' }
      for (const word of answer.match(/\S+\s*/g) ?? []) {
        await setTimeout(25, undefined, { signal })
        yield { text: word }
      }
    },
  }
}
