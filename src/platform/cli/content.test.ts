import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'
import { printContent } from './content.ts'

let cli: TestCli
let content: string
let questions: string
beforeEach(async () => {
  cli = await createTestCli()
  content = join(cli.folder, 'faq')
  questions = join(cli.folder, 'questions.txt')
  mkdirSync(content)
  writeFileSync(
    join(content, 'shop.md'),
    '# Returns\n30 days.\n## Refunds\nIn a week.\n# Sizes\n## Shoes\nTrue to size.\n',
  )
})

describe('the content', () => {
  const printed = async (folder?: string) => {
    const lines: string[] = []
    await printContent(folder, line => void lines.push(line))
    return lines.map(line => line.trim().replace(/ {2,}/, ': '))
  }

  it('is described at the start by its answers and topics, and by the files that cannot be used', async () => {
    writeFileSync(join(content, 'notes.txt'), 'Notes')
    writeFileSync(join(content, 'latin.md'), Buffer.from([0x23, 0x20, 0xe9, 0x0a, 0xe9]))
    writeFileSync(join(content, 'empty.md'), '# Only a heading\n')
    writeFileSync(join(content, '.hidden'), '')
    expect(await printed(content)).toEqual([
      `content: 3 answers in 2 topics from ${content}`,
      'not understood: empty.md (no text under a heading)',
      'not understood: latin.md (not UTF-8)',
      'not understood: notes.txt (not Markdown: its name must end in .md)',
    ])
  })

  it('is described by a path in the working directory if it is there, and may be missing', async () => {
    expect((await printed(join(process.cwd(), 'demo/content')))[0]).toMatch(
      / answers in \d+ topics from \.\/demo\/content$/,
    )
    expect(await printed()).toEqual(['content: none: without --content FOLDER an faq bot has no answers'])
  })
})

describe('natter content check', () => {
  const check = (...args: string[]) => cli.natter('content', 'check', content, ...args)

  it('lists sections with their lengths and duplicates, and what questions find', async () => {
    writeFileSync(join(content, 'returns.md'), `# Refunds\n${'Soon. '.repeat(1000)}\n`)
    expect(await check('--question', 'When is my refund due?', '--question', 'Who won?')).toEqual([
      'returns.md: Refunds\t5999 characters, of which a model gets 4000',
      'shop.md: Returns\t8 characters',
      'shop.md: Refunds\t10 characters\tlike returns.md: Refunds',
      'shop.md: Shoes\t13 characters',
      'When is my refund due? -> returns.md: Refunds\ta model gets returns.md: Refunds, shop.md: Refunds',
      'Who won? -> no answer\ta model gets nothing',
    ])
  })

  it('makes ten questions of the headings if none is given', async () => {
    for (let index = 0; index < 25; index++)
      writeFileSync(join(content, `${index}.md`), `# How do I use number ${index}?\nText.\n`)
    const questions = (await check('--json')).map(line => JSON.parse(line)).filter(row => 'question' in row)
    expect(questions).toHaveLength(10)
    expect(questions[0]).toMatchObject({ question: 'number 0', answer: '0.md: How do I use number 0?' })
  })

  it('refuses a folder that is not there', async () => {
    await expect(cli.natter('content', 'check', join(content, 'missing'))).rejects.toThrow(/can't be read: name one/)
  })
})

describe('natter content test', () => {
  const test = () => cli.natter('content', 'test', questions, '--content', content)

  it('prints ok for each question that finds its heading, or nothing if it must find nothing', async () => {
    writeFileSync(questions, '# Money\nWhen do I get my refund? -> Refunds\n\nWhich shoes? → Shoes\nWho won? ->\n')
    appendFileSync(join(content, 'shop.md'), '## Where are you?\nBy the river.\n')
    appendFileSync(questions, 'where are you -> Where are you?\n')
    expect(await test()).toEqual([
      'ok When do I get my refund? -> Refunds',
      'ok Which shoes? -> Shoes',
      'ok Who won? -> no answer',
      'ok where are you -> Where are you?',
    ])
  })

  it('says which lines it has not understood', async () => {
    writeFileSync(
      join(content, 'a.md'),
      '---\ntitle: x\n---\n# A\nText.\n#Sizes\nText.\n\n<div>\n## B\n</div>\n\n```\n# C\nText.\n',
    )
    writeFileSync(questions, 'Which shoes? -> Shoes\n')
    await test()
    const lines = cli.stderr.join('').split('\n')
    expect(lines.filter(line => line.startsWith('Not understood'))).toEqual([
      'Not understood: a.md:6 (no heading: put a space after #)',
      'Not understood: a.md:10 (a heading inside HTML: put an empty line before it)',
      'Not understood: a.md:13 (a code block without an end, to which all that follows belongs)',
    ])
  })

  it('fails if a question finds another heading, or a line or the file cannot be read', async () => {
    writeFileSync(questions, 'When do I get my refund? -> Shoes\n')
    await expect(test()).rejects.toThrow('1 of 1 questions do not find their answer.')
    writeFileSync(questions, 'Which shoes? -> Shoes\nWhich shoes?\n')
    await expect(test()).rejects.toThrow(`${questions}:2 must be a question`)
    questions = join(cli.folder, 'missing.txt')
    await expect(test()).rejects.toThrow(/missing\.txt can't be read/)
  })
})

describe('natter content gaps', () => {
  it('needs a bot that answers from content', async () => {
    const { id } = await cli.createBot()
    await expect(cli.natter('content', 'gaps', '--bot', id)).rejects.toThrow(/--content/)
    expect(await cli.natter('content', 'gaps', '--bot', id, '--content', content)).toEqual([])
    const { id: silent } = await cli.createBot('--responder', 'none')
    await expect(cli.natter('content', 'gaps', '--bot', silent)).rejects.toThrow('is none, not faq')
  })
})
