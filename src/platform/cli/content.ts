import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { count } from '../count.ts'
import { findSections, maxSectionLength } from '../responders/contentPrompt.ts'
import { type Content, readContent, type Section, topicsOf } from '../responders/contentSections.ts'
import { createFaqFinder } from '../responders/faqFinder.ts'
import { createSectionSearch, type SectionSearch, wordsOf } from '../responders/sectionSearch.ts'
import type { Bot } from '../store/store.ts'
import { type CommandContext, command, type Topic, UsageError } from './command.ts'
import { findGaps } from './contentGaps.ts'
import { database, findBot, onStore } from './database.ts'
import { each, option, required } from './option.ts'
import { json, oneLine, printRows } from './rows.ts'
import { content as contentFolder } from './serveOptions.ts'

const bot = option('--bot <BOT>', 'The bot')
const question = option(
  '--question <TEXT>',
  'What a visitor asks; repeat it for more. Without it, ten questions are made of headings',
).argParser(each((text: string) => text))

/** Prints how many answers the content has, such as "4 answers in 2 topics from ./faq", and what is not understood. */
export async function printContent(folder: string | undefined, printLine: (line: string) => void): Promise<void> {
  if (folder === undefined)
    return printLine('  content              none: without --content FOLDER an faq bot has no answers')
  const content = await readContent(folder)
  const { sections } = content
  const path = relative(process.cwd(), folder)
  const shown = path.startsWith('..') ? folder : `./${path}`
  const topics = count(topicsOf(sections).length, 'topic')
  printLine(`  content              ${count(sections.length, 'answer')} in ${topics} from ${shown}`)
  for (const line of unusableLines(content)) printLine(`  not understood       ${line}`)
}

const unusableLines = ({ unusable }: Content): string[] =>
  unusable.map(({ file, reason }) => `${oneLine(file)} (${reason})`)

/** The folder that a bot answers from. */
function folderOf({ id, responder }: Bot, content: string | undefined): string {
  if (responder.kind !== 'faq') throw new UsageError(`The responder of bot ${id} is ${responder.kind}, not faq.`)
  const folder = responder.content ?? content
  if (folder !== undefined) return folder
  throw new UsageError(`Bot ${id} has no folder of its own: name that of "natter serve" with --content.`)
}

/** Reads a folder, and tells what is not understood. */
async function loadContent(folder: string, { stderr }: Pick<CommandContext, 'stderr'>): Promise<Content> {
  const content = await readContent(folder)
  for (const line of unusableLines(content)) stderr(`Not understood: ${line}\n`)
  return content
}

/** Reads a test file. The heading of a question that must find nothing is `''`. */
function readExpectations(file: string): { question: string; heading: string }[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new UsageError(`${file} can't be read: name a file with lines such as "Can I send it back? -> Returns".`)
  }
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return []
    const [, question, heading = ''] = /^\s*(\S.*?)\s*(?:->|→)\s*(.*?)\s*$/.exec(line) ?? []
    if (question !== undefined) return [{ question, heading }]
    const example = '"Can I send it back? -> Returns"'
    throw new UsageError(`${file}:${index + 1} must be a question, -> and a heading: ${example}.`)
  })
}

const shown = (heading: string): string => heading || 'no answer'

/** How many questions are made of headings if none are given. */
const sampleSize = 10

/** Questions of a few words, as visitors type them: the words of headings that are spread over the content. */
function sampleQuestions({ sections }: Content, search: SectionSearch): string[] {
  const step = Math.max(1, sections.length / sampleSize)
  const headings = sections.filter((_, index) => Math.floor(index % step) === 0).map(({ heading }) => heading)
  const texts = headings.map(heading =>
    wordsOf(heading)
      .filter(word => search.termsOf([word]).length > 0)
      .join(' '),
  )
  return [...new Set(texts)].filter(Boolean).slice(0, sampleSize)
}

/** The first section with the same heading (a question that equals it finds only that one), or with the same text. */
const originalOf = ({ heading, text }: Section, before: Section[]): Section | undefined =>
  before.find(other => other.heading.toLowerCase() === heading.toLowerCase() || other.text === text)

const nameOf = ({ file, heading }: Section): string => `${file}: ${heading}`

export const content: Topic = {
  name: 'content',
  summary: 'Checks the Markdown that bots answer from, and finds what it lacks',
  note: `FILE has one question a line, with the heading of its answer: "Can I send it back? -> Returns". Without a heading the
question must find nothing. Lines that begin with # are comments.`,
  commands: [
    command({
      name: 'content check',
      positional: '<FOLDER>',
      summary: 'Lists the sections of a folder with their lengths, duplicates, and what questions find',
      options: [question, json],
      async run(call) {
        const content = await loadContent(call.argument, call)
        const search = createSectionSearch(content)
        const find = createFaqFinder(content)
        const sections = content.sections.map((section, index) => {
          const original = originalOf(section, content.sections.slice(0, index))
          return {
            ...{ section: nameOf(section), length: section.text.length },
            ...(original && { duplicateOf: nameOf(original) }),
          }
        })
        printRows(call, sections, ({ section, length, duplicateOf }) => [
          section,
          `${length} characters${length > maxSectionLength ? `, of which a model gets ${maxSectionLength}` : ''}`,
          ...(duplicateOf === undefined ? [] : [`like ${duplicateOf}`]),
        ])
        const asked = (call.values.question ?? sampleQuestions(content, search)).map(question => {
          const match = find(question)
          const found = findSections(search, { messages: [{ author: 'visitor', text: question }] })
          return { question, answer: match.kind === 'answer' ? nameOf(match.section) : '', model: found.map(nameOf) }
        })
        printRows(call, asked, ({ question, answer, model }) => [
          `${question} -> ${shown(answer)}`,
          `a model gets ${model.join(', ') || 'nothing'}`,
        ])
      },
    }),
    command({
      name: 'content test',
      positional: '<FILE>',
      summary: 'Asks questions, and prints ok or FAILED for each; exit code 1 if any failed',
      options: [required(contentFolder), json],
      async run(call) {
        const expectations = readExpectations(call.argument)
        const find = createFaqFinder(await loadContent(call.values.content, call))
        const results = expectations.map(({ question, heading }) => {
          const match = find(question)
          const found = match.kind === 'answer' ? match.section.heading : ''
          return { ok: found === heading, question, expected: heading, found }
        })
        printRows(call, results, ({ ok, question, expected, found }) => [
          ok
            ? `ok ${question} -> ${shown(found)}`
            : `FAILED ${question} -> expected ${shown(expected)}, found ${shown(found)}`,
        ])
        const failed = results.filter(({ ok }) => !ok).length
        if (failed > 0) throw new Error(`${failed} of ${results.length} questions do not find their answer.`)
      },
    }),
    command({
      name: 'content gaps',
      summary: 'Lists what visitors asked that finds no answer, the most frequent first',
      options: [required(bot), contentFolder, database, json],
      run: onStore(async (call, store) => {
        const found = await findBot(store, call.values.bot)
        const find = createFaqFinder(await loadContent(folderOf(found, call.values.content), call))
        const gaps = await findGaps(store, found, find)
        printRows(call, gaps, ({ count, lastAskedAt, question }) => [`${count}`, lastAskedAt, question])
      }),
    }),
  ],
}
