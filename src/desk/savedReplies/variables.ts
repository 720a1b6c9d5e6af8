/** What variables of saved replies stand for. `''` if it is not known. */
export type VariableValues = Record<'name' | 'email' | 'bot' | 'member', string>

/** Code is left as it is, a block or a span in one line: `{{…}}` is a part of many languages. */
const variableOrCode = /^ *```[\s\S]*?^ *```|`+[^`\n]+`+|\{\{\s*([^{}|]*?)\s*(?:\|\s*([^{}]*?)\s*)?\}\}/gm

/** Replaces `{{name}}` and `{{name|fallback}}`. A variable without a value or a fallback stays. */
export const fillVariables = (text: string, values: VariableValues): string =>
  text.replace(variableOrCode, (whole: string, name: string | undefined, fallback = '') =>
    name === undefined
      ? whole
      : (Object.hasOwn(values, name) && values[name as keyof VariableValues]) || fallback || whole,
  )

/** The first variable that a text still has, and where. */
export function findVariable(text: string): { start: number; variable: string } | null {
  for (const { 0: variable, 1: name, index } of text.matchAll(variableOrCode))
    if (name !== undefined) return { start: index, variable }
  return null
}
