import { validate } from '../../contract/index.ts'
import { UsageError } from './usageError.ts'

/** An option without a value, such as `--json`. */
export interface Flag {
  /** For the help. */
  description: string
}

/** An option with a value, such as `--port 80`. */
export interface Valued<Value> extends Flag {
  /** The placeholder of its value in the help. */
  metavar: string
  /** Parses the text, or calls `refuse`. */
  read(text: string): Value
  /** The value if neither flag nor variable is set. */
  default?: string
  /** The environment variable to use if the flag is missing. */
  variable?: string
  /** Can be repeated. */
  many?: true
  /** Only a variable, not a flag: flags appear in process lists. Errors do not show its value. */
  variableOnly?: true
}

export type Option = Flag | Valued<unknown>
export type Options = Record<string, Option>
export type Environment = Record<string, string | undefined>

/** The parsed values of options. */
export type ValuesOf<Table extends Options> = {
  [Name in keyof Table]: Table[Name] extends { read(text: string): infer Value }
    ? Table[Name] extends { many: true }
      ? Value[] | undefined
      : Table[Name] extends { default: string }
        ? Value
        : Value | undefined
    : boolean
}

export const isValued = (option: Option): option is Valued<unknown> => 'read' in option

/** Rejects a text, with a sentence that begins with "Must". The option's name is added in front. */
export function refuse(sentence: string): never {
  throw new RefusedText(sentence)
}
class RefusedText extends Error {}

/** The values of options, from the texts of their flags. Flags take precedence over variables, variables over defaults. */
export function readOptions<Table extends Options>(
  options: Table,
  texts: ReadonlyMap<string, string[]>,
  environment: Environment,
): ValuesOf<Table> {
  const read = Object.entries<Option>(options).map(([name, option]) => {
    const given = texts.get(name)
    if (!isValued(option)) return [name, given !== undefined]
    if (option.many) return [name, given?.map(text => readText(name, option, text))]
    const text = given?.[0] ?? textOf(option, environment) ?? option.default
    return [name, text === undefined ? undefined : readText(name, option, text)]
  })
  return Object.fromEntries(read) as ValuesOf<Table>
}

/** Treats an empty variable as unset: compose files produce one for `${NOTHING:-}`. */
function textOf({ variable }: Valued<unknown>, environment: Environment): string | undefined {
  return variable === undefined ? undefined : environment[variable] || undefined
}

function readText(name: string, option: Valued<unknown>, text: string): unknown {
  try {
    return option.read(text)
  } catch (error) {
    if (!(error instanceof RefusedText)) throw error
    const sentence = error.message.replace(/^M/, 'm').replace(/\.$/, '')
    // Hide the password that a URL may contain before the @ and after the ?.
    const bare = text.replace(/:.*@/s, ':…@').replace(/^([a-z+]+:[^?]*\?).+/is, '$1…')
    const shown = option.variableOnly
      ? ''
      : `, not ${JSON.stringify(bare.length > 80 ? `${bare.slice(0, 80)}…` : bare)}`
    throw new UsageError(`${nameOf(name, option)} ${sentence}${shown}.`)
  }
}

/** An option's name in errors: its flag and its variable. */
export function nameOf(name: string, option: Option): string {
  const variable = isValued(option) ? option.variable : undefined
  if (variable === undefined) return `--${name}`
  return isValued(option) && option.variableOnly ? variable : `--${name} (${variable})`
}

export const anyText = (text: string): string => text

/** Reads an API key. Refuses characters that a header cannot contain, because the first request would fail. */
export const readApiKey = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : refuse('Must be a key: visible ASCII without spaces.')

/** Reads a whole number within bounds; `meaning` describes them. */
export const wholeNumber =
  (least: number, most: number, meaning = `a whole number from ${least} to ${most}`) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return number >= least && number <= most ? number : refuse(`Must be ${meaning}.`)
  }

export const oneOf =
  <const Words extends readonly string[]>(...words: Words) =>
  (text: string): Words[number] =>
    words.find(word => word === text) ?? refuse(`Must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`)

type Schema = Parameters<typeof validate>[0]
type OutputOf<Checked extends Schema> = Extract<ReturnType<typeof validate<Checked>>, { output: unknown }>['output']

/** Reads a text by a schema of the contract. */
export const checked =
  <Checked extends Schema>(schema: Checked) =>
  (text: string): OutputOf<Checked> => {
    const result = validate(schema, text)
    return 'output' in result ? (result.output as OutputOf<Checked>) : refuse(result.errors[0]?.detail ?? '')
  }
