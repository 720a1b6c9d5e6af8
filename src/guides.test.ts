import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endpoints, errorCatalogue, streamEventSchemas } from './contract/index.ts'
import { fieldCodes } from './contract/validation.ts'
import { contributorDocs, guides, headings, prose, readGuide, rows, section } from './guides.ts'
import { settingOptions, textKeys } from './platform/cli/botSettings.ts'
import { commands } from './platform/cli/commands.ts'
import { isVariableOnly } from './platform/cli/option.ts'
import { serveOptions } from './platform/cli/serveOptions.ts'
import { unknownVariables } from './platform/cli/unknownVariables.ts'
import { createMetrics } from './platform/http/metrics.ts'
import { english } from './platform/texts/english.ts'
import * as sdk from './sdk/index.ts'
import { en } from './widget/i18n/en.ts'

const root = resolve(import.meta.dirname, '..')
const widget = 'src/widget/README.md'
const sdkGuide = 'src/sdk/README.md'
const platform = 'src/platform/README.md'
const testing = 'src/testing/README.md'

/** The first column of the table under a heading, without the code marks. */
const firstColumn = (path: string, heading: string): string[] =>
  rows(path, heading)
    .map(([cell = '']) => /`([^`]+)`/.exec(cell)?.[1] ?? '')
    .sort()

/** The names that an interface of a source file lists. */
function members(file: string, name: string): string[] {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(readGuide(file))?.[1] ?? ''
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(match => match[1] ?? '').sort()
}

describe('the README', () => {
  it('fits on a few screens', () => {
    expect(readGuide('README.md').split('\n').length - 1).toBeLessThanOrEqual(200)
  })

  it('compares Natter with others by the figures that the benchmark has measured', () => {
    const measured = readGuide('e2e/bench/README.md')
      .split('\n')
      .filter(line => line.startsWith('| '))
    const compared = section('README.md', 'Natter beside others')
      .split('\n')
      .filter(line => /^\| \S/.test(line) && line.includes('kB'))
    expect(compared.length).toBeGreaterThan(3)
    for (const line of compared) {
      const row = measured.find(each => each.startsWith(line.slice(0, -2)))
      expect(row, line).toBeDefined()
    }
  })
})

describe('the guide of the widget', () => {
  it('lists every option', () => {
    expect(firstColumn(widget, 'Options')).toEqual(members('src/widget/loader/options.ts', 'WidgetOptions'))
  })

  it('lists every text that can be replaced, as it is in English', () => {
    const texts = Object.entries(en).filter(([key]) => key !== 'lang' && key !== 'dir')
    expect(rows(widget, 'Texts').map(([key, text]) => `${key} ${text}`)).toEqual(
      texts.map(([key, text]) => `\`${key}\` ${text}`),
    )
  })

  it('lists every call', () => {
    const calls = rows(widget, 'Calls').flatMap(([cell = '']) =>
      [...cell.matchAll(/`([\w.]+)/g)].map(match => match[1] ?? ''),
    )
    const handle = members('src/widget/loader/widgetHandle.ts', 'WidgetHandle').filter(name => name !== 'auth')
    expect(calls.filter(call => !call.includes('.')).sort()).toEqual(handle)
    expect(calls.filter(call => call.includes('.')).sort()).toEqual([
      'auth.contacts.current',
      'auth.contacts.login',
      'auth.contacts.logout',
      'auth.refresh',
      'auth.state',
    ])
  })

  it('lists every event', () => {
    expect(firstColumn(widget, 'Events')).toEqual(members('src/widget/loader/events.ts', 'WidgetEvents'))
  })
})

describe('the guide of the SDK', () => {
  it('lists every option of the client', () => {
    expect(firstColumn(sdkGuide, 'Options of the client')).toEqual(members('src/sdk/client.ts', 'ClientOptions'))
  })

  it('names every class of error with its guard', () => {
    const guards = Object.keys(sdk).filter(name => /^is\w+Error$/.test(name) && name !== 'isSdkError')
    expect(firstColumn(sdkGuide, 'Errors of the SDK')).toEqual(guards.map(guard => guard.slice(2)).sort())
    for (const guard of guards) expect(readGuide(sdkGuide)).toContain(`| \`${guard.slice(2)}\`, \`${guard}\` |`)
  })
})

describe('the guide of the tests of sites', () => {
  it('lists every option', () => {
    const options = members('src/testing/testPlatform.ts', 'TestPlatformOptions')
    expect(firstColumn(testing, 'Options of the platform')).toEqual(options)
    const ofTheCheck = [
      ...members('src/testing/searchPage.ts', 'SearchOptions'),
      ...members('src/testing/expectNothingLeft.ts', 'NothingLeftOptions extends SearchOptions'),
    ]
    expect(firstColumn(testing, 'Nothing is left')).toEqual(ofTheCheck.sort())
  })
})

describe('the guide of the platform', () => {
  it('lists every error code with its status', () => {
    expect(firstColumn(platform, 'Errors of the platform')).toEqual(Object.keys(errorCatalogue).sort())
    for (const [code, { status }] of Object.entries(errorCatalogue)) {
      expect(readGuide(platform)).toMatch(new RegExp(`^\\| \`${code}\` \\| ${status} \\|`, 'm'))
    }
  })

  it('lists every code of a wrong field', () => {
    expect(firstColumn(platform, 'Codes of fields')).toEqual([...fieldCodes].sort())
  })

  it('lists every request of the organization beside its call in the SDK', () => {
    const lines = readGuide(platform)
      .split('\n')
      .filter(line => line.startsWith('| '))
    for (const { auth, method, path } of Object.values(endpoints)) {
      if (auth !== 'organization') continue
      expect(
        lines.find(row => row.includes(` ${path}\``) && row.includes(`\`${method}`)),
        `${method} ${path}`,
      ).toBeDefined()
    }
  })

  it('lists every request of the widget, and every event of its stream', () => {
    const requests = Object.values(endpoints)
      .filter(({ auth }) => auth !== 'organization')
      .map(({ method, path }) => `${method} ${path.replace('/v1/bots/{botId}', '…')}`)
    expect(firstColumn(platform, 'Requests of the widget')).toEqual(
      [...requests, ...Object.keys(streamEventSchemas)].sort(),
    )
  })

  it('names metrics that exist', async () => {
    const gauges = { openStreams: () => 0, queueDepth: () => 0 }
    const state = { isConnected: true, published: 0, received: 0 }
    const text = await createMetrics({ ...gauges, version: '1.0.0', busState: () => state }).text()
    const named = rows(platform, 'Metrics').flatMap(([cell = '']) =>
      [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name),
    )
    expect(named.length).toBeGreaterThan(9)
    for (const name of named) expect(text).toContain(`# TYPE ${name} `)
  })

  it('lists every command, every setting of a server with its default, and every setting of a bot', () => {
    expect(firstColumn(platform, 'Commands')).toEqual(commands.map(({ name }) => `natter ${name}`).sort())
    const settings = serveOptions.filter(({ envVar }) => envVar !== undefined)
    expect(serveOptions.filter(({ envVar }) => envVar === undefined).map(each => each.name())).toEqual([
      ...['dev', 'write-env', 'json'],
    ])
    const lines = settings.map(option => {
      const { envVar, long, defaultValue: initial } = option
      return `| \`${envVar}\` | ${isVariableOnly(option) ? '' : `\`${long}\` `}| ${initial ? `\`${initial}\` ` : ''}|`
    })
    for (const line of lines) expect(readGuide(platform)).toContain(`\n${line} `)
    expect(firstColumn(platform, 'Configuration')).toHaveLength(lines.length)
    expect(firstColumn(platform, 'Settings of a bot')).toEqual(settingOptions.map(({ long }) => long).sort())
  })

  it('lists every text of a bot that can be replaced, as it is in English', () => {
    expect(rows(platform, 'Texts of a bot').map(([key, text]) => `${key} ${text}`)).toEqual(
      textKeys.map(key => `\`${key}\` ${english[key]}`),
    )
  })
})

describe('all guides', () => {
  const all = [...guides, ...contributorDocs]
  /** Links of a document to files, with the part behind `#`. */
  const linksOf = (path: string) =>
    [...prose(readGuide(path)).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(match => ({
      link: match[0],
      target: match[1] ? join(dirname(path), match[1]) : path,
      anchor: match[2],
    }))

  it('are found, and none is forgotten', () => {
    const found = globSync('{*.md,src/**/*.md,e2e/**/*.md,demo/**/*.md}', { cwd: root }).filter(
      path => !path.startsWith('demo/content/') && !/^demo\/deploy\/(content|backups)\//.test(path),
    )
    expect(found.sort()).toEqual([...all].sort())
  })

  it.each(all)('%s links to files and headings that there are', path => {
    for (const { link, target, anchor } of linksOf(path)) {
      expect(existsSync(join(root, target)), link).toBe(true)
      if (anchor)
        expect(
          headings(readGuide(target)).map(heading => heading.anchor),
          link,
        ).toContain(anchor)
    }
  })

  it.each(contributorDocs)('%s names files that there are', path => {
    const named = [...readGuide(path).matchAll(/`([\w./-]+\/[\w.-]+\.(?:tsx?|md|json|css))`/g)].map(
      ([, file = '']) => file,
    )
    const folders = [dirname(path), 'src', '.']
    const isThere = (file: string) => folders.some(folder => existsSync(join(root, folder, file)))
    expect(named.filter(file => !isThere(file))).toEqual([])
  })

  it.each(guides)('%s links to no file that the package leaves out', path => {
    const { files } = JSON.parse(readGuide('package.json')) as { files: string[] }
    const isPacked = (file: string) => files.some(each => file === each || file.startsWith(`${each}/`))
    expect(isPacked(path)).toBe(true)
    expect(linksOf(path).filter(({ target }) => !isPacked(target))).toEqual([])
  })

  it.each(guides)('%s has a table of contents if it is long', path => {
    const sections = headings(readGuide(path)).filter(({ level }) => level === 2)
    if (path === 'README.md' || path === 'CHANGELOG.md' || sections.length < 4) return
    const contents = sections.map(({ title, anchor }) => `- [${title}](#${anchor})`).join('\n')
    expect(readGuide(path).includes(`\n${contents}\n`), `${path} needs this table of contents:\n${contents}`).toBe(true)
  })

  it.each(all)('%s names only variables that there are', path => {
    const forTests = /^NATTER_(TEST_LONG|CHROMIUM|FIREFOX|WEBKIT|NATS|BUN|DENO)$/
    const named = (readGuide(path).match(/NATTER_[A-Z_]*[A-Z]/g) ?? []).filter(name => !forTests.test(name))
    expect(unknownVariables(Object.fromEntries(named.map(name => [name, ''])))).toEqual([])
  })

  it.each(all)('%s runs no command that npx may fetch from the public registry', path => {
    expect(
      readGuide(path)
        .match(/npx (?!--no\b).*/g)
        ?.filter(line => !line.startsWith('npx vitest')) ?? [],
    ).toEqual([])
  })

  it('use every log format of nginx that they define, or the logs would show tokens', () => {
    const texts = [...guides, ...globSync('demo/deploy/**/*.{conf,yaml}', { cwd: root })].map(readGuide)
    const defined = texts.flatMap(text =>
      [...text.matchAll(/^ *log_format (\w+)/gm)].map(([, name = '']) => ({ name, text })),
    )
    expect(defined.length).toBeGreaterThan(0)
    for (const { name, text } of defined)
      for (const [server] of text.matchAll(/^server \{[\s\S]*?^\}/gm))
        expect(server).toMatch(new RegExp(`^ *access_log \\S+ ${name};`, 'm'))
    for (const { name, text } of defined) expect(text).toMatch(new RegExp(`^ *access_log \\S+ ${name};`, 'm'))
  })

  it('show pictures that a page loads quickly', () => {
    const pictures = linksOf('README.md').filter(({ link }) => /\.(png|webp)\)/.test(link))
    expect(pictures).not.toEqual([])
    for (const { target } of pictures) expect(statSync(join(root, target)).size, target).toBeLessThan(60_000)
  })
})

it('the lockfile names no registry', () => {
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "http/)
})
