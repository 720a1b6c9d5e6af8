import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { validate } from '../../contract/index.ts'
import { isHttpsUrl } from '../../contract/validation.ts'
import { isAllowedAddress } from '../webhooks/egressPolicy.ts'

type Retyped = 'argParser' | 'choices' | 'conflicts' | 'default' | 'env' | 'helpGroup'

/** An option of commander whose name and value are known to the compiler. */
export interface CliOption<Flags extends string = string, Value = unknown> extends Omit<Option, Retyped> {
  flags: Flags
  /** Never there: it only carries the type. */
  readonly type?: () => Value
  /** `read` parses the text, or calls `refuse`. */
  argParser<Read>(read: (text: string, before: Read | undefined) => Read): CliOption<Flags, Read | undefined>
  choices<const Word extends string>(words: readonly Word[]): CliOption<Flags, Word | undefined>
  conflicts(names: string[]): this
  default(value: NonNullable<Value>): CliOption<Flags, NonNullable<Value>>
  env(name: string): this
  helpGroup(heading: string): this
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

/** An option with a text, such as `--host <HOST>`, or without a value, such as `--json`. */
export const option = <const Flags extends string>(flags: Flags, description: string) =>
  new Option(flags, description) as CliOption<Flags, (Flags extends `${string}>` ? string : true) | undefined>

/** The same option for a command that cannot do without it. Other commands share it, and can. */
export const required = <Flags extends string, Value>(option: CliOption<Flags, Value>) =>
  Object.assign(new Option(option.flags), option, { mandatory: true }) as CliOption<Flags, NonNullable<Value>>

/** The group of the options that only a variable gives: flags appear in process lists. Errors do not show their values. */
export const variableOnly = 'Variables:'

export const isVariableOnly = ({ helpGroupHeading }: Pick<Option, 'helpGroupHeading'>): boolean =>
  helpGroupHeading === variableOnly

/** Rejects a text, with a sentence that begins with "Must". Errors name the option in front of it. */
export function refuse(sentence: string): never {
  throw new InvalidArgumentError(sentence)
}

/** Reads each value of an option that may be repeated. */
export const each =
  <Value>(read: (text: string) => Value) =>
  (text: string, before: Value[] | undefined): Value[] => [...(before ?? []), read(text)]

/** Reads a text by a schema of the contract. */
export const checked =
  (schema: Parameters<typeof validate>[0]) =>
  (text: string): string => {
    const result = validate(schema, text)
    return 'output' in result ? String(result.output) : refuse(result.errors[0]?.detail ?? '')
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

/** Reads the address of a page or of a platform. */
export function readAddress(text: string): string {
  const { protocol, username, password } = URL.parse(text) ?? {}
  return /^https?:$/.test(protocol ?? '') && !username && !password
    ? text
    : refuse('Must be an address such as https://shop.example, without a user or a password.')
}

/** Reads an address to which the paths of pages are appended. */
export const readContentUrl = (text: string): string =>
  isHttpsUrl(text) && !/[?#]/.test(text)
    ? text
    : refuse('Must be an https address such as https://shop.example/help/, without ? and #.')

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
