import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { toSvg } from './plot.ts'
import { goalTable, isMeasured, readReport, type StoredReport, type Table } from './report.ts'

/**
 * Writes the results of the last runs into README.md of this folder and the guide on sizing, each part between its two
 * markers, and the plots into `plots/`. Run it after any `npm run bench…`: node e2e/bench/readme.ts
 */
const root = resolve(import.meta.dirname, '../..')
const plots = 'e2e/bench/plots'

/** Parts that are not in README.md of this folder. */
const pages: Record<string, string> = { sizing: 'src/platform/docs/sizing.md' }

/** The parts, with the titles of their reports. */
const parts: Record<string, Record<string, string>> = {
  platform: {
    http: 'Requests, against a bare `node:http` server that runs the same SQL',
    store: 'A million contacts of one bot',
    streams: 'Ten thousand open streams on one process',
    desk: 'The desk of one process',
  },
  widget: { widget: 'The widget in a page, beside others' },
  cluster: { cluster: 'One, two and four nodes on one PostgreSQL' },
  sizing: { measured: 'Measured', assumed: 'Assumed', sizing: 'Calculated from both' },
}

mkdirSync(join(root, plots), { recursive: true })
for (const [part, titles] of Object.entries(parts)) {
  // A part whose benchmarks have not run on this machine stays unchanged.
  if (Object.keys(titles).every(isMeasured)) write(part, titles)
}

function write(part: string, titles: Record<string, string>): void {
  const reports = Object.keys(titles).map(readReport)
  for (const plot of reports.flatMap(report => report.plots))
    writeFileSync(join(root, plots, `${plot.name}.svg`), toSvg(plot))
  const [start, end] = [`<!-- bench ${part}: written by e2e/bench/readme.ts -->`, `<!-- /bench ${part} -->`]
  const page = pages[part] ?? 'e2e/bench/README.md'
  const text = readFileSync(join(root, page), 'utf8')
  if (!text.includes(start) || !text.includes(end)) throw new Error(`${page} has no ${start} … ${end}`)
  const [before, after] = [text.slice(0, text.indexOf(start)), text.slice(text.indexOf(end))]
  const sections = reports.map(report => section(report, titles[report.subject] ?? report.subject))
  writeFileSync(join(root, page), `${before}${start}\n${sections.join('\n')}\n${measuredOn(reports)}\n\n${after}`)
}

/** When and on which machine the reports were measured, without duplicates. */
function measuredOn(all: StoredReport[]): string {
  const lines = all.map(({ at, machine }) => `Measured on ${at.slice(0, 10)}: ${machine}.`)
  return [...new Set(lines)].join('\n')
}

function section({ note, goals, tables, plots: sectionPlots }: StoredReport, title: string): string {
  return [
    `### ${title}\n`,
    ...(note === undefined ? [] : [`${note}\n`]),
    ...(goals.length > 0 ? [toMarkdown(goalTable(title, goals))] : []),
    ...tables.map(table => `${table.title}:\n\n${toMarkdown(table)}`),
    ...sectionPlots.map(({ name, title }) => `![${title}](plots/${name}.svg)\n`),
  ].join('\n')
}

function toMarkdown({ columns, rows }: Table): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`
  return line(columns) + line(columns.map(() => '---')) + rows.map(line).join('')
}
