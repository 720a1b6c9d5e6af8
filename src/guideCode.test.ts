import { describe, expect, it } from 'vitest'
import { commandsInBlocks, commandsInProse, type GuideCommand } from './guideCommands.ts'
import { contributorDocs, guides } from './guides.ts'
import { topics } from './platform/cli/commands.ts'
import { parseCommand } from './platform/cli/parseCommand.ts'

describe('the commands in the guides', () => {
  const all = [...guides, ...contributorDocs]
  const names = topics.flatMap(({ commands }) => commands.map(({ name }) => name))
  const parse = ({ line, words, environment }: GuideCommand) =>
    expect(() => parseCommand(topics, words, environment), line).not.toThrow()

  it('are found', () => {
    expect(all.flatMap(commandsInBlocks).length).toBeGreaterThan(30)
    expect(all.flatMap(commandsInProse).length).toBeGreaterThan(40)
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
