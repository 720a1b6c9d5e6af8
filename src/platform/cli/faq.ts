import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { count } from '../count.ts'
import { createFaqFinder, type FaqFinder } from '../responders/faqFinder.ts'
import { type FaqContent, readFaqContent, topicsOf } from '../responders/faqSections.ts'
import type { Bot } from '../store/store.ts'
import { type CommandContext, command, type Topic, UsageError } from './command.ts'
import { database, findBot, onStore } from './database.ts'
import { findGaps } from './faqGaps.ts'
import { option, required } from './option.ts'
import { json, oneLine, printRows } from './rows.ts'
import { content } from './serveOptions.ts'

const bot = option('--bot <BOT>', 'The bot')

/** Prints how many answers the content has, such as "4 answers in 2 topics from ./faq", and what is not understood. */
export async function printContent(folder: string | undefined, printLine: (line: string) => void): Promise<void> {
  if (folder === undefined)
    return printLine('  content              none: without --content FOLDER an faq bot has no answers')
  const content = await readFaqContent(folder)
  const { sections } = content
  const path = relative(process.cwd(), folder)
  const shown = path.startsWith('..') ? folder : `./${path}`
  const topics = count(topicsOf(sections).length, 'topic')
  printLine(`  content              ${count(sections.length, 'answer')} in ${topics} from ${shown}`)
  for (const line of unusableLines(content)) printLine(`  not understood       ${line}`)
}

const unusableLines = ({ unusable }: FaqContent): string[] =>
  unusable.map(({ file, reason }) => `${oneLine(file)} (${reason})`)

/** The folder that a bot answers from. */
function folderOf({ id, responder }: Bot, content: string | undefined): string {
  if (responder.kind !== 'faq') throw new UsageError(`The responder of bot ${id} is ${responder.kind}, not faq.`)
  const folder = responder.content ?? content
  if (folder !== undefined) return folder
  throw new UsageError(`Bot ${id} has no folder of its own: name that of "natter serve" with --content.`)
}

async function finderOf(folder: string, { stderr }: Pick<CommandContext, 'stderr'>): Promise<FaqFinder> {
  const content = await readFaqContent(folder)
  for (const line of unusableLines(content)) stderr(`Not understood: ${line}\n`)
  return createFaqFinder(content)
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

export const faq: Topic = {
  name: 'faq',
  summary: 'Tests the answers of faq bots, and finds what they lack',
  note: `FILE has one question a line, with the heading of its answer: "Can I send it back? -> Returns". Without a heading the
question must find nothing. Lines that begin with # are comments.`,
  commands: [
    command({
      name: 'faq test',
      positional: '<FILE>',
      summary: 'Asks questions, and prints ok or FAILED for each; exit code 1 if any failed',
      options: [required(content), json],
      async run(call) {
        const expectations = readExpectations(call.argument)
        const find = await finderOf(call.values.content, call)
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
      name: 'faq gaps',
      summary: 'Lists what visitors asked that finds no answer, the most frequent first',
      options: [required(bot), content, database, json],
      run: onStore(async (call, store) => {
        const found = await findBot(store, call.values.bot)
        const find = await finderOf(folderOf(found, call.values.content), call)
        const gaps = await findGaps(store, found, find)
        printRows(call, gaps, ({ count, lastAskedAt, question }) => [`${count}`, lastAskedAt, question])
      }),
    }),
  ],
}
