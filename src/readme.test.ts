import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endpoints, errorCatalogue, streamEventSchemas } from './contract/index.ts'
import { botOptions } from './platform/cli/botOptions.ts'
import { topics } from './platform/cli/commands.ts'
import type { Option, Valued } from './platform/cli/option.ts'
import { serveOptions, unknownVariables } from './platform/cli/serveOptions.ts'
import * as sdk from './sdk/index.ts'
import { en } from './widget/i18n/en.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const readme = read('../README.md')

/** The first column of the table under a heading, without the code marks. */
function firstColumn(heading: string): string[] {
  const section = readme.split(/^#+ /m).find(text => text.startsWith(`${heading}\n`))
  if (!section) throw new Error(`The README has no heading "${heading}"`)
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(match => match[1] ?? '').sort()
}

/** The names that an interface of a source file lists. */
function members(file: string, name: string): string[] {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(read(file))?.[1] ?? ''
  return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(match => match[1] ?? '').sort()
}

describe('the README', () => {
  it('lists every error code with its status', () => {
    expect(firstColumn('Errors of the platform')).toEqual(Object.keys(errorCatalogue).sort())
    for (const [code, { status }] of Object.entries(errorCatalogue)) {
      expect(readme).toMatch(new RegExp(`^\\| \`${code}\` \\| ${status} \\|`, 'm'))
    }
  })

  it('lists every option of the widget', () => {
    expect(firstColumn('Options')).toEqual(members('./widget/loader/options.ts', 'WidgetOptions'))
  })

  it('lists every text of the widget that can be replaced', () => {
    const list = /^Keys of `strings`[^:]*: ([^.]*)\./m.exec(readme)?.[1] ?? ''
    const inTheSource = Object.entries(en)
      .filter(([key]) => key !== 'lang' && key !== 'dir')
      .map(([key, text]) => [key, ...(text.match(/\{\w+\}/g) ?? [])])
    expect(
      list
        .split(/,\s/)
        .map(words => [...words.matchAll(/`([^`]+)`/g)].map(match => match[1]))
        .sort(),
    ).toEqual(inTheSource.sort())
  })

  it("lists every option of the SDK's client", () => {
    expect(firstColumn('Options of the client')).toEqual(members('./sdk/client.ts', 'ClientOptions'))
  })

  it('names every class of error of the SDK with its guard', () => {
    const guards = Object.keys(sdk).filter(name => /^is\w+Error$/.test(name) && name !== 'isSdkError')
    expect(firstColumn('Errors of the SDK')).toEqual(guards.map(guard => guard.slice(2)).sort())
    for (const guard of guards) expect(readme).toContain(`| \`${guard.slice(2)}\`, \`${guard}\` |`)
  })

  it('lists every request of the organization beside its call in the SDK', () => {
    const rows = readme.split('\n').filter(line => line.startsWith('| '))
    for (const { auth, method, path } of Object.values(endpoints)) {
      if (auth !== 'organization') continue
      expect(
        rows.find(row => row.includes(` ${path}\``) && row.includes(`\`${method}`)),
        `${method} ${path}`,
      ).toBeDefined()
    }
  })

  it('lists every request of the widget, and every event of its stream', () => {
    const requests = Object.values(endpoints)
      .filter(({ auth }) => auth !== 'organization')
      .map(({ method, path }) => `${method} ${path.replace('/v1/bots/{botId}', '…')}`)
    expect(firstColumn('Requests of the widget')).toEqual([...requests, ...Object.keys(streamEventSchemas)].sort())
  })

  it('lists every event of the widget', () => {
    expect(firstColumn('Events')).toEqual(members('./widget/loader/events.ts', 'WidgetEvents'))
  })

  it('lists every command, every setting of a server with its default, and every setting of a bot', () => {
    const commands = topics.flatMap(topic => topic.commands.map(({ name }) => `natter ${name}`))
    expect(firstColumn('Commands')).toEqual(commands.sort())
    const settings = Object.entries<Option>(serveOptions).filter(([name]) => name !== 'dev' && name !== 'json')
    const rows = settings.map(([name, option]) => {
      const { variable, variableOnly, default: defaultValue }: Partial<Valued<unknown>> = option
      return `| \`${variable}\` | ${variableOnly ? '' : `\`--${name}\` `}| ${defaultValue ? `\`${defaultValue}\` ` : ''}|`
    })
    for (const row of rows) expect(readme).toContain(`\n${row} `)
    expect(firstColumn('Configuration')).toHaveLength(rows.length)
    expect(firstColumn('Settings of a bot')).toEqual(
      Object.keys(botOptions)
        .map(name => `--${name}`)
        .sort(),
    )
  })

  it('names only variables that there are', () => {
    const named = readme.match(/NATTER_[A-Z_]*[A-Z]/g) ?? []
    expect(named).toContain('NATTER_TRUSTED_PROXIES')
    expect(unknownVariables(Object.fromEntries(named.map(name => [name, ''])))).toEqual([])
  })

  it('links to no file that the package leaves out', () => {
    const { files } = JSON.parse(read('../package.json')) as { files: string[] }
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(match => match[1] ?? '')
    expect(links).toContain('demo/content')
    expect(links.filter(link => !files.some(file => link === file || link.startsWith(`${file}/`)))).toEqual([])
  })

  it('names no registry, and no lockfile address does either', () => {
    const lockfile = read('../package-lock.json')
    expect(lockfile).not.toMatch(/"resolved": "http/)
  })
})
