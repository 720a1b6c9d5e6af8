import { describe, expect, it } from 'vitest'
import { endpoints } from './contract/index.ts'
import { defaultTimeLimitMs } from './contract/limits.ts'
import { readGuide, rows } from './guides.ts'
import { startTestPlatform } from './testing/index.ts'

const widget = 'src/widget/README.md'
const sdk = 'src/sdk/README.md'
const testing = 'src/testing/README.md'

/** The Default column of the table under a heading by the option's name, as it is written there. */
const written = (path: string, heading: string, column: number): Record<string, string> =>
  Object.fromEntries(rows(path, heading).map(row => [row[0]?.replaceAll('`', ''), row[column] ?? '']))

/** The value that a source file has where the pattern's group is. */
function inSource(file: string, pattern: RegExp): string {
  const value = pattern.exec(readGuide(file))?.[1]
  if (value === undefined) throw new Error(`${file} does not match ${pattern}`)
  return value.replaceAll('_', '')
}

/** The options that an interface requires, or does not. */
function optionsOf(file: string, name: string, mark: '' | '?'): string[] {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(readGuide(file))?.[1] ?? ''
  return [...body.matchAll(/^ {2}(\w+)(\??):/gm)].filter(each => each[2] === mark).map(each => each[1] ?? '')
}

/** A number as the guides write it. */
const spaced = (value: number): string => value.toLocaleString('en').replaceAll(',', ' ')

describe('the defaults in the guide of the widget', () => {
  const defaults = written(widget, 'Options', 2)

  it('are those of the code, where it has them as values', () => {
    const launcherStyles = 'src/widget/styles/launcher.css'
    expect(defaults).toMatchObject({
      offset: inSource('src/widget/loader/launcher.ts', /offset = (\d+)/),
      zIndex: inSource(launcherStyles, /z-index: var\(--natter-z-index, (\d+)\)/),
      accent: `\`${inSource(launcherStyles, /var\(--natter-accent, var\(--if-light, (#\w{6})\)/)}\``,
      persist: `\`${inSource('src/widget/store/entries.ts', /persist = '(\w+)'/)}\``,
    })
  })

  it('say which options are required', () => {
    const required = Object.keys(defaults).filter(name => defaults[name] === 'required')
    expect(required).toEqual(optionsOf('src/widget/loader/options.ts', 'WidgetOptions', ''))
  })
})

describe('the defaults in the guide of the SDK', () => {
  const defaults = written(sdk, 'Options of the client', 1)

  it('are those of the code', () => {
    const networkMs = Number(inSource('src/sdk/request.ts', /const networkMs = ([\d_]+)/))
    const limits = [
      defaultTimeLimitMs,
      endpoints.upsertContacts.timeLimitMs,
      endpoints.uploadConversationAttachment.timeLimitMs,
    ]
    const [usual, upsert, file] = limits.map(ms => spaced((ms ?? 0) + networkMs))
    expect(defaults).toMatchObject({
      timeoutMs: `${usual}, for an upsert ${upsert}, for a file ${file}`,
      maxRetries: inSource('src/sdk/client.ts', /maxRetries = (\d+)/),
    })
  })

  it('say which options are required', () => {
    const required = Object.keys(defaults).filter(name => defaults[name] === 'required')
    expect(required.sort()).toEqual(optionsOf('src/sdk/client.ts', 'ClientOptions', '').sort())
  })
})

describe('the defaults in the guide of the tests of sites', () => {
  it('are those of a platform without options', async () => {
    const platform = await startTestPlatform()
    const response = await fetch(`${platform.baseUrl}/v1/bots/${platform.botId}/widget`)
    const { data } = (await response.json()) as { data: { name: string; greeting: string } }
    await platform.close()
    const defaults = written(testing, 'Options of the platform', 1)
    const greeting = data.greeting.replaceAll('\n', '\\n')
    expect(defaults).toMatchObject({ name: `\`${data.name}\``, greeting: `\`${greeting}\`` })
  })

  it('are those of the search', () => {
    const defaults = written(testing, 'Nothing is left', 1)
    expect(defaults).toEqual({
      texts: 'required',
      memory: `\`${inSource('src/testing/expectNothingLeft.ts', /memory = (\w+)/)}\``,
      timeoutMs: inSource('src/testing/expectNothingLeft.ts', /timeoutMs = ([\d_]+)/),
    })
  })
})
