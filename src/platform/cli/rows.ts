/** Prints one thing per line: tab-separated cells, or JSON with `--json`. */
export function printRows<Thing>(
  { values, printLine }: { values: { json: boolean }; printLine(line: string): void },
  things: Thing[],
  cells: (thing: Thing) => string[],
): void {
  for (const thing of things) printLine(values.json ? JSON.stringify(thing) : cells(thing).map(oneLine).join('\t'))
}

/** Escapes line breaks and tabs, so that a text stays in its cell. */
export const oneLine = (text: string): string => text.replaceAll('\n', '\\n').replaceAll('\t', ' ')

export const json = { description: 'Print JSON, one object per line' } as const
