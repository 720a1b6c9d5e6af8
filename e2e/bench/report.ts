import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { folder } from './processes.ts'

/** One line of a subject's table. */
export interface Goal {
  what: string
  goal: string
  figure: string
  met: boolean
}

/** Figures without a goal, for the README and its plots. */
export interface Table {
  title: string
  columns: string[]
  rows: (string | number)[][]
}

export interface Report {
  subject: string
  goals: Goal[]
  tables: Table[]
}

/** Prints what a subject has found, and keeps it in `out/bench/<subject>.json`. */
export function publish(report: Report): void {
  const { subject, goals, tables } = report
  const machine = { node: process.version, cpus: cpus().length, cpu: cpus()[0]?.model ?? '' }
  writeFileSync(
    join(folder, `${subject}.json`),
    `${JSON.stringify({ ...report, at: new Date().toISOString(), machine }, null, 2)}\n`,
  )
  const goalRows = goals.map(({ what, goal, figure, met }) => [what, goal, figure, met ? 'met' : 'NOT MET'])
  if (goals.length > 0) print({ title: subject, columns: ['', 'goal', 'figure', ''], rows: goalRows })
  for (const table of tables) print(table)
}

function print({ title, columns, rows }: Table): void {
  const lines = [columns, ...rows].map(row => row.map(String))
  const widths = columns.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  const aligned = lines.map(line => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  process.stdout.write(`\n${title}\n${aligned.map(line => `  ${line.trimEnd()}\n`).join('')}`)
}
