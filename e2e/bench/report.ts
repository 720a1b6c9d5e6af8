import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Plot } from './plot.ts'
import { folder } from './processes.ts'

/** How much to measure. */
export interface BenchOptions {
  /** How often each of the compared systems runs. */
  rounds: number
  /** How long each load lasts. */
  seconds: number
  /** The numbers of contacts to measure. The goals apply to the last one. */
  contacts: number[]
  /** The numbers of streams to measure. The goals apply to the last one. */
  streams: number[]
  /** The number of contacts of one bot in the benchmark of lists. */
  rows: number
}

/** A performance goal and the measured value. */
export interface Goal {
  what: string
  goal: string
  figure: string
  met: boolean
}

/** Measurements without a goal. */
export interface Table {
  title: string
  columns: string[]
  rows: string[][]
}

/** The results of one benchmark. */
export interface Report {
  subject: string
  /** What to say before the tables, such as the command that measures them. */
  note?: string
  goals: Goal[]
  tables: Table[]
  plots: Plot[]
}

/** A report as stored in `out/bench/<subject>.json`. */
export interface StoredReport extends Report {
  at: string
  machine: string
}

/** Prints a report and stores it. */
export function publish(report: Report): void {
  const { subject, goals, tables } = report
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`
  const stored: StoredReport = { ...report, at: new Date().toISOString(), machine }
  writeFileSync(fileOf(subject), `${JSON.stringify(stored, null, 2)}\n`)
  if (goals.length > 0) print(goalTable(subject, goals))
  for (const table of tables) print(table)
}

export const readReport = (subject: string): StoredReport =>
  JSON.parse(readFileSync(fileOf(subject), 'utf8')) as StoredReport

export const isMeasured = (subject: string): boolean => existsSync(fileOf(subject))

const fileOf = (subject: string): string => join(folder, `${subject}.json`)

export const goalTable = (title: string, goals: Goal[]): Table => ({
  title,
  columns: ['', 'Goal', 'Measured', ''],
  rows: goals.map(({ what, goal, figure, met }) => [what, goal, figure, met ? 'met' : '**not met**']),
})

function print({ title, columns, rows }: Table): void {
  const lines = [columns, ...rows]
  const widths = columns.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  const aligned = lines.map(line => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  process.stdout.write(`\n${title}\n${aligned.map(line => `  ${line.trimEnd()}\n`).join('')}`)
}
