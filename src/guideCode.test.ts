import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandsInBlocks, commandsInProse, type GuideCommand } from './guideCommands.ts'
import { snippetErrors, writeSnippets } from './guideSnippets.ts'
import { contributorDocs, guides } from './guides.ts'
import { commands, topics } from './platform/cli/commands.ts'
import { parseCommand } from './platform/cli/program.ts'
import { withEnvironment } from './platform/testing/withEnvironment.ts'

describe('the commands in the guides', () => {
  const all = [...guides, ...contributorDocs]
  const names = commands.map(({ name }) => name)
  const parse = ({ line, words, environment }: GuideCommand) =>
    expect(() => withEnvironment(environment, () => parseCommand(topics, words)), line).not.toThrow()

  it('are found', () => {
    expect(all.flatMap(commandsInBlocks).length).toBeGreaterThan(30)
    expect(all.flatMap(commandsInProse).length).toBeGreaterThan(30)
  })

  it.each(all)('can be called as %s writes them', path => {
    for (const command of commandsInBlocks(path)) parse(command)
    for (const command of commandsInProse(path)) {
      const { line, words } = command
      const isTopic = topics.some(({ name }) => name === words.join(' '))
      // A sentence may name a command without its arguments.
      if (words.some(word => word.startsWith('-'))) parse(command)
      else if (!isTopic)
        expect(
          names.some(name => `${words.join(' ')} `.startsWith(`${name} `)),
          line,
        ).toBe(true)
    }
  })
})

it('the TypeScript and JavaScript in the guides is correct', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'natter-snippets-'))
  try {
    expect(writeSnippets(folder, guides)).toBeGreaterThan(10)
    expect(await snippetErrors(folder)).toBe('')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
