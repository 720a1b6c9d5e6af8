import type { JsonSchema, OpenApi } from '../../../../contract/openapi/document.ts'
import { codeFigure } from '../codeFigure.ts'
import { type Html, html } from '../html.ts'
import { layout } from '../layout.ts'
import { variables } from './curl.ts'
import { fieldsOf } from './fields.ts'
import { type ListedOperation, listOperations, operationSection } from './operation.ts'
import { anchor, inlineText, json, paragraphs } from './prose.ts'
import { webhookSection } from './webhook.ts'

/** An operation or event in the table of contents. */
interface Entry {
  id: string
  title: string
  method: string
}

/** The OpenAPI document as a page. */
export function apiPage(document: OpenApi): string {
  const { info, tags } = document
  const operations = listOperations(document)
  const sections = tags.map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags[0] === name),
  }))
  const events = Object.values(document.webhooks)
  const contents = sections.map(({ name, operations }) => ({
    name,
    entries: name === 'Webhooks' ? events.map(({ post }) => entryOf(post, '')) : operations.map(toEntry),
  }))
  return layout({
    title: `${info.title} API`,
    description: info.summary,
    brand: html`<a class="brand" href="../docs">${info.title} <span>${info.version}</span></a>`,
    folder: '',
    navigation: html`<p class="back"><a href="../docs">All guides</a></p>${contentsOf(contents)}`,
    navigationName: 'Contents',
    menu: `${info.title} API`,
    content: html`<main id="main" class="api" tabindex="-1">
${introduction(document)}
${sections.map(
  ({ name, operations, description }) => html`<section aria-labelledby="${anchor(name)}">
<header><h2 id="${anchor(name)}">${name}</h2>${paragraphs(description)}</header>
${operations.map(operation => operationSection(document, operation))}
${name === 'Webhooks' && Object.entries(document.webhooks).map(([type, { post }]) => webhookSection(document, type, post))}
</section>`,
)}
${objects(document)}
${errors(document)}
</main>`,
  })
}

const toEntry = ({ method, operation }: ListedOperation): Entry => entryOf(operation, method)
const entryOf = ({ operationId, summary }: ListedOperation['operation'], method: string): Entry => ({
  id: operationId,
  title: summary,
  method,
})

function contentsOf(groups: { name: string; entries: Entry[] }[]): Html {
  const behind = [
    ['objects', 'Objects'],
    ['errors', 'Errors'],
  ] as const
  return html`<ul>
<li><a href="#introduction">Introduction</a></li>
${groups.map(
  ({ name, entries }) =>
    html`<li><a href="#${anchor(name)}">${name}</a><ul>${entries.map(
      ({ id, title, method }) =>
        html`<li><a href="#${id}">${title}${method && html` <span class="method" data-method="${method}">${method}</span>`}</a></li>`,
    )}</ul></li>`,
)}
${behind.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
</ul>`
}

function introduction({ info, components }: OpenApi): Html {
  const { IdempotencyKey: key, IdempotencyAttempt: attempt } = components.parameters
  return html`<section aria-labelledby="introduction">
<article>
<div>
<h1 id="introduction">${info.title} API</h1>
<p class="lead">${info.summary}</p>
${paragraphs(info.description)}
<h2 class="minor">Authorization</h2>
${Object.values(components.securitySchemes).map(({ description }) => paragraphs(description))}
<h2 class="minor">Repeating a request</h2>
${key && html`<p><code>${key.name}</code> where it is listed. ${inlineText(key.description)}</p>`}
${attempt && html`<p><code>${attempt.name}</code> beside it. ${inlineText(attempt.description)}</p>`}
<p>As a file for tools: <a href="../v1/openapi.json">OpenAPI 3.1</a>.</p>
</div>
<div class="examples">${codeFigure('For the commands below', variables)}</div>
</article>
</section>`
}

/** The schemas of responses. Those of requests and webhooks are shown where they are used. */
function objectsOf({ paths, webhooks, components }: OpenApi): [string, JsonSchema][] {
  const elsewhere = new Set<string>()
  const collect = (part: unknown, deep: boolean): void => {
    for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      elsewhere.add(name)
      if (deep) collect(components.schemas[name], deep)
    }
  }
  for (const item of Object.values(paths)) for (const { requestBody } of Object.values(item)) collect(requestBody, true)
  for (const { post } of Object.values(webhooks)) collect(post, false)
  return Object.entries(components.schemas).filter(([name]) => !elsewhere.has(name))
}

function objects(document: OpenApi): Html {
  return html`<section aria-labelledby="objects">
<header><h2 id="objects">Objects</h2><p>The parts of responses. A field is always present unless it says “may be absent”.</p></header>
${objectsOf(document).map(
  ([
    name,
    schema,
  ]) => html`<article class="object" id="schema-${name}"><div><h3><a href="#schema-${name}">${name}</a></h3>
${fieldsOf(document, schema, 'received') || html`<p>No fields.</p>`}</div></article>`,
)}
</section>`
}

function errors({ components }: OpenApi): Html {
  return html`<section aria-labelledby="errors">
<header><h2 id="errors">Errors</h2><p>Each is <code>application/problem+json</code> with the fields of <a href="#schema-Problem">Problem</a>. Switch on <code>code</code>.</p></header>
<div class="errors">${Object.entries(components.examples).map(([code, { summary = '', value }]) => {
    const { status } = value as { status: number }
    return html`<article id="error-${code}"><div><h3><a href="#error-${code}">${status} <code>${code}</code></a></h3><p>${inlineText(summary)}</p></div><div class="examples"><details><summary>Example</summary>${codeFigure(String(status), json(value))}</details></div></article>`
  })}</div>
</section>`
}
