import { describe, expect, it } from 'vitest'
import { guides, readGuide } from '../../../../guides.ts'
import { textOf } from '../html.ts'
import { sequenceDiagram } from './sequenceDiagram.ts'

const draw = (...lines: string[]) => {
  const drawing = sequenceDiagram(['sequenceDiagram', ...lines].join('\n'))
  return drawing && textOf(drawing)
}
const participants = ['  participant W as Widget', '  participant P as <b>Platform</b>']

describe('sequenceDiagram', () => {
  it('tells each step in words, in order, for readers who do not see the arrows', () => {
    const markup = draw(
      ...participants,
      '  W->>P: Ask & wait',
      '  P-->>W: Answer',
      '  W->>W: Think',
      '  Note over W,P: Later',
      '  loop while it <writes>',
      '    P->>W: More',
      '  end',
    )
    const words = markup?.replace(/<p class="participants".*?<\/p>/, '').replace(/<[^>]*>/g, '|')
    expect(words?.split(/[|\n]+/).filter(Boolean)).toEqual([
      ...['Widget → &lt;b&gt;Platform&lt;/b&gt;', ': ', 'Ask &amp; wait'],
      ...['&lt;b&gt;Platform&lt;/b&gt; → Widget', ': ', 'Answer'],
      ...['Widget', ': ', 'Think'],
      'Later',
      'Loop: while it &lt;writes&gt;',
      ...['&lt;b&gt;Platform&lt;/b&gt; → Widget', ': ', 'More'],
    ])
  })

  it('places arrows from centre to centre, and what one participant does in its own column', () => {
    const markup = draw(...participants, '  P->>W: Left', '  P->>P: Own', '  Note over W,P: Both')
    expect(
      [...(markup ?? '').matchAll(/<div class="([\w ]+)" data-start="(\d)" data-end="(\d)">/g)].map(([, ...rest]) =>
        rest.join(' '),
      ),
    ).toEqual(['message leftwards 2 4', 'own 3 5', 'note 1 5'])
  })

  it.each([
    [['graph TD', 'A-->B']],
    [['  W->>X: to nobody known']],
    [['  alt if', '  end']],
    [['  loop never closed']],
    [['  end']],
  ])('does not draw what it does not know: %s', lines => {
    expect(draw(...participants, ...lines)).toBeNull()
  })

  it('draws every diagram of the guides', () => {
    const diagrams = guides.flatMap(path =>
      [...readGuide(path).matchAll(/^```mermaid\n([\s\S]*?)^```/gm)].map(([, text = '']) => text.trim()),
    )
    expect(diagrams.length).toBeGreaterThan(1)
    for (const diagram of diagrams) expect(sequenceDiagram(diagram), diagram).not.toBeNull()
  })
})
