import {
  type HttpMethod,
  type MediaType,
  type OpenApi,
  type Operation,
  type ResponseObject,
  resolved,
} from '../../../../contract/openapi/document.ts'
import { codeFigure } from '../codeFigure.ts'
import { type Html, html } from '../html.ts'
import { curl } from './curl.ts'
import { fieldList, fieldsOf } from './fields.ts'
import { inlineText, json, paragraphs } from './prose.ts'

/** An operation of the document, with its method and path. */
export interface ListedOperation {
  method: string
  path: string
  operation: Operation
}

/** Every operation of the document, in its order. An operation that has two methods is listed once, with the first. */
export const listOperations = (document: OpenApi): ListedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    (Object.keys(item) as HttpMethod[]).flatMap(method => {
      const operation = item[method]
      return operation && !/By[A-Z]+$/.test(operation.operationId)
        ? [{ method: method.toUpperCase(), path, operation }]
        : []
    }),
  )

/** An operation: its description on the left, its examples on the right. */
export function operationSection(document: OpenApi, { method, path, operation }: ListedOperation): Html {
  const { operationId, summary, description, requestBody } = operation
  const bodies = examplesOf(document, requestBody?.content['application/json'])
  const commands = (bodies.length > 0 ? bodies : [undefined]).map(body =>
    curl(document, { method, path, operation, body }),
  )
  return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
    <div>
      <h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
      <p class="path"><span class="method" data-method="${method}">${method}</span> <code>${breakable(path)}</code></p>
      ${paragraphs(description)}
      ${authorization(operation)}
      ${parametersOf(document, operation)}
      ${requestBody && bodyFields(document, requestBody)}
      ${responsesOf(document, operation)}
    </div>
    <div class="examples">
      ${commands.map((command, index) => codeFigure(index === 0 ? 'Request' : 'Or', command))}
      ${responseExample(document, operation)}
    </div>
  </article>`
}

/** A path that may wrap after each of its parts. */
const breakable = (path: string): Html => html`${path.split(/(?<=\/)/).map(part => html`${part}<wbr>`)}`

/** The values of the examples of a body. */
export const examplesOf = (document: OpenApi, media: MediaType | undefined): unknown[] =>
  Object.values(media?.examples ?? {}).map(example => resolved(document, example).value)

const bearers: Record<string, string> = {
  organization: 'Organization token.',
  widget: 'Contact token or token of an anonymous session.',
}

function authorization({ security }: Operation): Html {
  const [scheme] = security.flatMap(required => Object.keys(required))
  return html`<h4>Authorization</h4><p>${scheme ? bearers[scheme] : 'None.'}</p>`
}

function parametersOf(document: OpenApi, operation: Operation): Html[] {
  const parameters = operation.parameters.map(parameter => resolved(document, parameter))
  const places = [
    ['path', 'Path'],
    ['query', 'Query'],
    ['header', 'Headers'],
  ] as const
  return places.flatMap(([place, title]) => {
    const here = parameters.filter(parameter => parameter.in === place)
    const fields = here.map(({ name, schema, required = false, description }) => ({
      name,
      schema,
      required,
      description,
    }))
    return here.length > 0 ? [html`<h4>${title}</h4>${fieldList(document, fields, 'sent')}`] : []
  })
}

function bodyFields(
  document: OpenApi,
  { content, description, required }: NonNullable<Operation['requestBody']>,
): Html {
  const types = Object.keys(content)
  const [media] = Object.values(content)
  return html`<h4>Body</h4>
    <p>${required ? 'Required. ' : 'Optional. '}${types.map((type, index) => html`${index > 0 && ', '}<code>${type}</code>`)}. ${description}</p>
    ${media && fieldsOf(document, media.schema, 'sent')}`
}

/** Errors that every operation may return. They are described once, in the section of all errors. */
const commonErrors = new Set([
  'body_too_large',
  'headers_too_large',
  'internal',
  'unavailable',
  'rate_limited',
  'malformed_body',
])
const isError = (status: string): boolean => Number(status) >= 400
/** Headers of every response, which are not listed for each. */
const commonHeaders = new Set(['X-Request-Id', 'Cache-Control'])

function responsesOf(document: OpenApi, { responses }: Operation): Html {
  const all = Object.entries(responses).map(([status, part]) => [status, resolved(document, part)] as const)
  const errors = all.filter(([status]) => isError(status))
  const successes = all.filter(([status]) => !isError(status))
  return html`<h4>Responses</h4>
    ${table(
      'Meaning',
      successes.map(
        ([status, response]) => html`<tr><td>${status}</td><td>${successRow(document, response)}</td></tr>`,
      ),
    )}
    ${errors.length > 0 && html`<h4>Errors</h4>${errorTable(document, errors)}`}`
}

function successRow(document: OpenApi, { description, headers, content = {} }: ResponseObject): Html {
  const [[type, media] = []] = Object.entries(content)
  const names = Object.keys(headers).filter(name => !commonHeaders.has(name))
  return html`${inlineText(description)}
    ${type && type !== 'application/json' && html` <code>${type}</code>`}
    ${names.length > 0 && html`<p class="limits">${names.map(name => html`<span><code>${name}</code></span>`)}</p>`}
    ${media && fieldsOf(document, media.schema, 'received')}`
}

function errorTable(document: OpenApi, errors: (readonly [string, ResponseObject])[]): Html {
  const rows = errors.flatMap(([status, { content = {} }]) =>
    Object.keys(content['application/problem+json']?.examples ?? {})
      .filter(code => !commonErrors.has(code))
      .map(code => html`<tr><td>${status}</td><td>${errorName(document, code)}</td></tr>`),
  )
  return html`${rows.length > 0 && table('Error', rows)}
    <p class="limits">And those of <a href="#errors">any request</a>.</p>`
}

const errorName = (document: OpenApi, code: string): Html =>
  html`<a href="#error-${code}"><code>${code}</code></a> ${inlineText(document.components.examples[code]?.summary ?? '')}`

const table = (title: string, rows: Html[]): Html =>
  html`<table><thead><tr><th scope="col">Status</th><th scope="col">${title}</th></tr></thead><tbody>${rows}</tbody></table>`

function responseExample(document: OpenApi, { responses }: Operation): Html[] {
  return (
    Object.entries(responses)
      .filter(([status]) => !isError(status))
      // 201 before the 200 of a repetition.
      .toReversed()
      .flatMap(([status, part]) => {
        const [[type, media] = []] = Object.entries(resolved(document, part).content ?? {})
        const [example] = examplesOf(document, media)
        if (example === undefined) return []
        return [codeFigure(`${status} ${type}`, typeof example === 'string' ? example.trim() : json(example))]
      })
      .slice(0, 1)
  )
}
