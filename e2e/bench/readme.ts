import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { toSvg } from './plot.ts'
import { goalTable, type KeptReport, readReport, type Table } from './report.ts'

/**
 * Writes what the last runs have found into the README, between its two marks, and the plots beside this file.
 * Run it after `npm run bench`: node e2e/bench/readme.ts
 */
const root = resolve(import.meta.dirname, '../..')
const readme = join(root, 'README.md')
const plots = 'e2e/bench/plots'
const [start, end] = ['<!-- bench: written by e2e/bench/readme.ts -->', '<!-- /bench -->']

const titles: Record<string, string> = {
  http: 'Requests, against a bare `node:http` server that runs the same SQL',
  store: 'A million contacts of one bot',
  streams: 'Ten thousand open streams on one process',
}

const reports = Object.keys(titles).map(readReport)
mkdirSync(join(root, plots), { recursive: true })
for (const plot of reports.flatMap(report => report.plots))
  writeFileSync(join(root, plots, `${plot.name}.svg`), toSvg(plot))

const text = readFileSync(readme, 'utf8')
const [before, rest] = [text.slice(0, text.indexOf(start)), text.slice(text.indexOf(end))]
if (!text.includes(start) || !text.includes(end)) throw new Error(`README.md has no ${start} … ${end}`)
writeFileSync(readme, `${before}${start}\n${reports.map(section).join('\n')}\n${measured(reports)}\n\n${rest}`)

/** When and on what: once, where it was the same for all. */
function measured(all: KeptReport[]): string {
  const ways = all.map(({ at, machine }) => `Measured on ${at.slice(0, 10)}: ${machine}.`)
  return [...new Set(ways)].join('\n')
}

function section({ subject, goals, tables, plots: drawn }: KeptReport): string {
  const [first, ...others] = [goalTable(titles[subject] ?? subject, goals), ...tables]
  return [
    `### ${first?.title}\n`,
    ...(first ? [toMarkdown(first)] : []),
    ...others.map(table => `${table.title}:\n\n${toMarkdown(table)}`),
    ...drawn.map(({ name, title }) => `![${title}](${plots}/${name}.svg)\n`),
  ].join('\n')
}

function toMarkdown({ columns, rows }: Table): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`
  return line(columns) + line(columns.map(() => '---')) + rows.map(line).join('')
}
