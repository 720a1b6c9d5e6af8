import type { CommandContext } from './command.ts'
import { option } from './option.ts'

export const json = option('--json', 'Print JSON, one object per line')

/** Prints one thing per line: tab-separated cells, or JSON with `--json`. */
export function printRows<Thing>(
  { values, printLine }: Pick<CommandContext<readonly [typeof json]>, 'values' | 'printLine'>,
  things: Thing[],
  cells: (thing: Thing) => string[],
): void {
  for (const thing of things) printLine(values.json ? JSON.stringify(thing) : cells(thing).map(oneLine).join('\t'))
}

/**
 * Escapes line breaks, tabs and other control characters, so that a text stays in its cell. The text may be a visitor's, who
 * could otherwise change the terminal or what it shows of other lines.
 */
export const oneLine = (text: string): string =>
  text.replaceAll('\n', '\\n').replaceAll('\t', ' ').replace(controls, escapeControl)

/** Control characters, further line breaks, and characters that reverse the text after them. */
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const escapeControl = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
