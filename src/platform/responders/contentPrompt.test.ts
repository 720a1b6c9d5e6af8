import { expect, it } from 'vitest'
import { report } from '../../testScale.ts'
import { contentSets } from '../testing/contentQuestions.ts'
import { messageOf } from '../testing/scriptedResponder.ts'
import { describeSections, findSections } from './contentPrompt.ts'
import { createSectionSearch } from './sectionSearch.ts'

const { sections: shop } = contentSets.shop

const asked = (...texts: string[]) => ({ messages: texts.map((text, index) => messageOf('visitor', text, index + 1)) })

it.each(Object.entries(contentSets))(
  'the right section of %s is among those that the model gets, for nine of ten questions',
  (what, { sections, questions }) => {
    const search = createSectionSearch({ sections })
    const missed = questions.filter(
      ({ asked: text, heading }) => !findSections(search, asked(text)).some(found => found.heading === heading),
    )
    report(`${questions.length - missed.length} of ${questions.length} questions about ${what}`)
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(questions.length / 10)
    for (const { heading } of questions) expect(sections.map(section => section.heading)).toContain(heading)
  },
)

it('looks at the visitor’s earlier messages, too, after the last one', () => {
  const search = createSectionSearch({ sections: shop })
  const headings = findSections(search, asked('How do I wash wool?', 'And what about boots?')).map(each => each.heading)
  expect(headings).toContain('How do I wash wool?')
  expect(headings.indexOf('How do I clean leather boots?')).toBeLessThan(headings.indexOf('How do I wash wool?'))
})

it('gives a model at most five sections, each with at most 4,000 characters', () => {
  const long = Array.from({ length: 9 }, (_, index) => ({
    topic: '',
    heading: `Wool ${index}`,
    text: 'wool '.repeat(2000),
  }))
  const found = findSections(createSectionSearch({ sections: long }), asked('wool'))
  expect(found).toHaveLength(5)
  expect(describeSections(found).length).toBeLessThan(5 * 4200 + 1000)
})

it('tells the model that nothing matches', () => {
  expect(findSections(createSectionSearch({ sections: shop }), asked('Hello there!'))).toEqual([])
  expect(describeSections([])).toContain('nothing that matches')
})
