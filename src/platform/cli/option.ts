import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { validate } from '../../contract/index.ts'
import { isAllowedAddress } from '../webhooks/egressPolicy.ts'

/** An option of commander whose name and value are known to the compiler. */
export interface CliOption<Flags extends string = string, Value = unknown> extends Option {
  flags: Flags
  /** Never there: it only carries the type. */
  readonly type?: () => Value
}

/** The parsed values of options, by the names that commander gives them: `turnsPerDay` for `--turns-per-day <N>`. */
export type ValuesOf<Options extends readonly CliOption[]> = {
  [Each in Options[number] as NameOf<Each['flags']>]: Each extends CliOption<string, infer Value> ? Value : never
}
type NameOf<Flags> = Flags extends `--${infer Name} ${string}`
  ? Camel<Name>
  : Flags extends `--${infer Name}`
    ? Camel<Name>
    : never
type Camel<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Text

interface Source<Value> {
  /** The environment variable that is used if the flag is missing. */
  env?: string
  /** The value if neither flag nor variable is set. */
  default?: Value
  /** Only the variable, not the flag: flags appear in process lists. Errors do not show its value. */
  variableOnly?: true
}
type Sourced<Value, Given> = Given extends { default: unknown } ? Value : Value | undefined

/** An option such as `--port <PORT>`. `read` parses the text, or calls `refuse`. */
export const option = <const Flags extends string, Value, const Given extends Source<NoInfer<Value>>>(
  flags: Flags,
  description: string,
  read: (text: string, before: NoInfer<Value> | undefined) => Value,
  source?: Given,
): CliOption<Flags, Sourced<Value, Given>> => addSource(new Option(flags, description).argParser(read), source)

/** An option whose value is one of some words. */
export const choice = <
  const Flags extends string,
  const Word extends string,
  const Given extends Source<NoInfer<Word>>,
>(
  flags: Flags,
  description: string,
  words: readonly Word[],
  source?: Given,
): CliOption<Flags, Sourced<Word, Given>> => addSource(new Option(flags, description).choices(words), source)

/** An option without a value, such as `--json`. */
export const flag = <const Flags extends string>(flags: Flags, description: string) =>
  new Option(flags, description) as CliOption<Flags, true | undefined>

const variables = 'Variables:'

function addSource<Typed extends CliOption>(added: Option, source: Source<unknown> = {}): Typed {
  if (source.env !== undefined) added.env(source.env)
  if (source.default !== undefined) added.default(source.default, String(source.default))
  if (source.variableOnly) added.helpGroup(variables)
  return added as Typed
}

export const isVariableOnly = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === variables

/** Rejects a text, with a sentence that begins with "Must". Errors name the option in front of it. */
export function refuse(sentence: string): never {
  throw new InvalidArgumentError(sentence)
}

/** Reads each value of an option that may be repeated. */
export const each =
  <Value>(read: (text: string) => Value) =>
  (text: string, before: Value[] | undefined): Value[] => [...(before ?? []), read(text)]

export const anyText = (text: string): string => text

type Schema = Parameters<typeof validate>[0]
type OutputOf<Checked extends Schema> = Extract<ReturnType<typeof validate<Checked>>, { output: unknown }>['output']

/** Reads a text by a Valibot schema. */
export const checked =
  <Checked extends Schema>(schema: Checked) =>
  (text: string): OutputOf<Checked> => {
    const result = validate(schema, text)
    return 'output' in result ? (result.output as OutputOf<Checked>) : refuse(result.errors[0]?.detail ?? '')
  }

/** Reads by a function that throws an error if it refuses the text. */
export const accepted =
  (check: (text: string) => unknown) =>
  (text: string): string => {
    try {
      check(text)
    } catch (error) {
      refuse((error as Error).message)
    }
    return text
  }

/** Reads a whole number within bounds; `meaning` describes them. */
export const wholeNumber =
  (least: number, most: number, meaning = `a whole number from ${least} to ${most}`) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return number >= least && number <= most ? number : refuse(`Must be ${meaning}.`)
  }

/** Reads an API key. Refuses characters that a header cannot contain, because the first request would fail. */
export const readApiKey = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : refuse('Must be a key: visible ASCII without spaces.')

/** Reads the path of an existing folder, and makes it absolute. */
export function readFolder(text: string): string {
  const folder = resolve(text)
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? folder : refuse('Must be an existing folder.')
}

/** Reads a URL that the platform calls. Plain HTTP is allowed, for private networks. */
export function readUrl(text: string): string {
  const url = URL.parse(text)
  const isUsable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.hash
  if (!isUsable || text.length > 2048)
    return refuse('Must be an http or https address without a user, a password or a fragment.')
  // The server checks the addresses of a host name when it calls the URL.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 || isAllowedAddress(host, 'any')
    ? url.href
    : refuse('Must not be a link-local address or the metadata service of a cloud: "natter serve" never calls these.')
}
