import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { topics } from './platform/cli/commands.ts'
import { parseCommand } from './platform/cli/program.ts'
import { serveOptions } from './platform/cli/serveOptions.ts'
import { unknownVariables } from './platform/cli/unknownVariables.ts'
import { version } from './platform/packageFiles.ts'

const folder = join(import.meta.dirname, '../demo/deploy')
const files = globSync('**/{*.md,*.yaml,Caddyfile,Dockerfile}', { cwd: folder }).filter(
  file => !/^(content|backups)\//.test(file),
)
const read = (file: string) => readFileSync(join(folder, file), 'utf8')
const yamls = files.filter(file => file.endsWith('.yaml'))
const guides = files.filter(file => file.endsWith('.md'))
/** All that a pattern's first group finds, in files of a kind. */
const found = (among: string[], pattern: RegExp): string[] =>
  among.flatMap(file => [...read(file).matchAll(pattern)].map(match => match[1] ?? ''))

describe('the examples of deployment', () => {
  it('set only variables that there are, to what they take', () => {
    const named = found(files, /(NATTER_[A-Z_]*[A-Z])/g)
    expect(named).toContain('NATTER_NATS_URL')
    expect(unknownVariables(Object.fromEntries(named.map(name => [name, ''])))).toEqual([])
    for (const file of yamls)
      for (const [, name, value = ''] of read(file).matchAll(/^ *(NATTER_\w+): "?([^"\n]+)"?$/gm)) {
        // What the environment fills in, as `.env` would.
        const text = value.replace(/\$\{\w+:-\}/g, '').replace(/\$\{\w+:\?[^}]*\}/g, 'abc')
        const option = serveOptions.find(({ envVar }) => envVar === name)
        if (text !== '' && name !== 'NATTER_CONTENT')
          expect(() => option?.parseArg?.(text, undefined), `${file}: ${name}`).not.toThrow()
      }
  })

  it('pass on every setting of .env', () => {
    const all = serveOptions.flatMap(({ envVar = [] }) => envVar)
    const fixed = /^NATTER_BASE_URL$|_(HOST|PORT|DATABASE|NATS_URL|TRUSTED_PROXIES|CONTENT)$/
    for (const [file, others] of [
      ['compose.yaml', /_DRAIN$/],
      ['cluster/compose.yaml', /^$/],
    ] as const) {
      const wanted = all.filter(name => !fixed.test(name) && !others.test(name))
      expect(found([file], /^ *(NATTER_\w+): \$\{\1:-\}$/gm).sort(), file).toEqual(wanted.sort())
    }
    for (const name of all)
      if (!fixed.test(name)) expect(read('README.md') + read('cluster/README.md')).toContain(`\`${name}\``)
  })

  it('start containers with commands that there are', () => {
    const commands = found(yamls, /^ *(?:command|args): \[(\w+)\]/gm)
    expect(commands).toEqual(expect.arrayContaining(['serve', 'migrate']))
    for (const command of commands) expect(() => parseCommand(topics, [command]), command).not.toThrow()
  })

  it('ask for paths, ports and a version that there are, and give a node the time that it takes to leave', () => {
    expect(new Set(found(files, /natter:(\d+\.\d+\.\d+)/g))).toEqual(new Set([version]))
    for (const path of found(files, /(?:path:|health_uri) (\/\w+)$/gm))
      expect(['/readyz', '/healthz', '/metrics', '/content']).toContain(path)
    const ports = found(files, /(?:containerPort: |natter(?:-\d)?:|EXPOSE |NATTER_PORT=)(\d{4})/g)
    expect(new Set(ports)).toEqual(new Set([String(serveOptions.find(({ long }) => long === '--port')?.defaultValue)]))
    const graces = found(yamls, /(?:stop_grace_period|terminationGracePeriodSeconds): (\d+)/g)
    expect(graces.length).toBeGreaterThan(2)
    for (const seconds of graces) expect(Number(seconds)).toBeGreaterThan(10)
    const nodes = found(['cluster/compose.yaml'], /^ {2}(natter-\d): \*node$/gm)
    expect(found(['cluster/Caddyfile'], /reverse_proxy (.*) \{/g)).toEqual([
      nodes.map(node => `${node}:8787`).join(' '),
    ])
  })

  it('link to files that there are', () => {
    for (const guide of guides)
      for (const link of found([guide], /\]\((?!https?:|#)([^)#]+)/g))
        expect(existsSync(join(folder, dirname(guide), link)), `${guide}: ${link}`).toBe(true)
  })
})
