import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { report } from '../../testScale.ts'
import { type ContentQuestion, commanderQuestions, shopQuestions } from '../testing/contentQuestions.ts'
import { messageOf } from '../testing/scriptedResponder.ts'
import { describeSections, findSections } from './contentPrompt.ts'
import { type FaqSection, readFaqContent, splitSections } from './faqSections.ts'
import { createSectionSearch } from './sectionSearch.ts'

const root = join(import.meta.dirname, '../../..')
const { sections: shop } = await readFaqContent(join(root, 'demo/content'))
const commander = splitSections(readFileSync(join(root, 'node_modules/commander/Readme.md'), 'utf8'))

const asked = (...texts: string[]) => ({ messages: texts.map((text, index) => messageOf('visitor', text, index + 1)) })

it.each([
  ['the demo’s content', shop, shopQuestions],
  ['the documentation of commander', commander, commanderQuestions],
] as [string, FaqSection[], ContentQuestion[]][])(
  'the right section of %s is among those that the model gets, for nine of ten questions',
  (what, sections, questions) => {
    const search = createSectionSearch(sections)
    const missed = questions.filter(
      ({ asked: text, heading }) => !findSections(search, asked(text)).some(found => found.heading === heading),
    )
    report(`${questions.length - missed.length} of ${questions.length} questions about ${what}`)
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(questions.length / 10)
    for (const { heading } of questions) expect(sections.map(section => section.heading)).toContain(heading)
  },
)

it('looks at the visitor’s earlier messages, too, after the last one', () => {
  const search = createSectionSearch(shop)
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
  const found = findSections(createSectionSearch(long), asked('wool'))
  expect(found).toHaveLength(5)
  expect(describeSections(found).length).toBeLessThan(5 * 4200 + 1000)
})

it('tells the model that nothing matches', () => {
  expect(findSections(createSectionSearch(shop), asked('Hello there!'))).toEqual([])
  expect(describeSections([])).toContain('nothing that matches')
})
