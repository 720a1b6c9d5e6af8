import type { JsonSchema, OpenApi } from '../../../../contract/openapi/document.ts'
import { resolved } from '../../../../contract/openapi/document.ts'
import { type Html, html } from '../html.ts'
import { inlineText } from './prose.ts'

/**
 * The direction of a body. A schema that a client sends is shown with all nested fields, and marks required ones. A schema
 * that it receives links to the objects of the page, and marks fields that may be absent.
 */
export type Direction = 'sent' | 'received'

interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  /** Replaces the description of the schema. */
  description?: string | undefined
}

/** The fields of an object, each with its type, its limits, and the fields inside it. */
export function fieldsOf(document: OpenApi, schema: JsonSchema, direction: Direction): Html | null {
  const { properties, required = [] } = resolved(document, schema) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  if (!properties) return null
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    required: required.includes(name),
  }))
  return fieldList(document, fields, direction)
}

/** A list of fields or parameters. */
export const fieldList = (document: OpenApi, fields: Field[], direction: Direction): Html =>
  html`<ul class="fields">${fields.map(field => fieldItem(document, field, direction))}</ul>`

function fieldItem(document: OpenApi, { name, schema, required, description }: Field, direction: Direction): Html {
  const said = description ?? textIn(schema, 'description') ?? textIn(core(schema), 'description')
  const limits = limitsOf(schema)
  const inner = innerOf(schema)
  const linked = direction === 'received' && '$ref' in inner
  return html`<li>
    <div class="field"><code>${name}</code> <span class="type">${typeOf(schema, direction)}</span>${presence(required, direction)}</div>
    ${said && html`<p>${inlineText(said)}</p>`}
    ${limits.length > 0 && html`<p class="limits">${limits}</p>`}
    ${!linked && fieldsOf(document, inner, direction)}
  </li>`
}

function presence(required: boolean, direction: Direction): Html | null {
  if (direction === 'sent') return required ? html` <span class="required">required</span>` : null
  return required ? null : html` <span class="type">may be absent</span>`
}

const textIn = (schema: JsonSchema, key: string): string | undefined =>
  typeof schema[key] === 'string' ? schema[key] : undefined

/** The schema without `null`, if it is nullable. */
function core(schema: JsonSchema): JsonSchema {
  const [first] = (schema['anyOf'] ?? []) as JsonSchema[]
  return !schema['type'] && first ? first : schema
}

/** The schema of the entries of an array, or the schema itself. */
function innerOf(schema: JsonSchema): JsonSchema {
  const inside = core(schema)
  return inside['type'] === 'array' ? innerOf(inside['items'] as JsonSchema) : inside
}

function typeOf(schema: JsonSchema, direction: Direction): Html {
  const inside = core(schema)
  const nothing = inside !== schema && ' or null'
  const name = textIn(inside, '$ref')?.replace(/^.*\//, '')
  if (name && direction === 'received') return html`<a href="#schema-${name}">${name}</a>${nothing}`
  if (inside['type'] === 'array') return html`array of ${typeOf(inside['items'] as JsonSchema, direction)}${nothing}`
  return html`${textIn(inside, 'type') ?? (name ? 'object' : typeof inside['const'])}${nothing}`
}

/** Patterns that only repeat a format or a description. */
const obvious = /^\^(\[0-9a-f|\\d\{4\}-|\[\^\\u)/

function limitsOf(schema: JsonSchema): Html[] {
  const { minLength, maxLength, minimum, maximum, maxItems, format, pattern, default: byDefault } = core(schema)
  const values = (core(schema)['enum'] ?? (schema['const'] === undefined ? [] : [schema['const']])) as unknown[]
  const limits = [
    values.length > 0 &&
      html`${values.length > 1 && 'One of '}${values.map((value, index) => html`${index > 0 && ', '}<code>${String(value)}</code>`)}`,
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(undefined, maxItems, 'entries'),
    typeof format === 'string' && html`Format <code>${format}</code>`,
    typeof pattern === 'string' && !obvious.test(pattern) && html`Matches <code>${pattern}</code>`,
    byDefault !== undefined && html`Default <code>${JSON.stringify(byDefault)}</code>`,
  ]
  return limits.filter(limit => limit !== false).map(limit => html`<span>${limit}</span>`)
}

/** The largest number that the schemas allow. It is no limit that a reader needs. */
const unbounded = 999_999_999_999_999

function range(least: unknown, most: unknown, unit: string): Html | false {
  const behind = unit && ` ${unit}`
  const isOpen = most === undefined || Number(most) >= unbounded
  if (least === undefined && isOpen) return false
  if (isOpen) return html`At least ${String(least)}${behind}`
  return least === undefined
    ? html`At most ${String(most)}${behind}`
    : html`${String(least)} to ${String(most)}${behind}`
}
