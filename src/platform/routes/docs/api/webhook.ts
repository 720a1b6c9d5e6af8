import { type OpenApi, type Operation, resolved } from '../../../../contract/openapi/document.ts'
import { codeFigure } from '../codeFigure.ts'
import { type Html, html } from '../html.ts'
import { fieldList, fieldsOf } from './fields.ts'
import { examplesOf } from './operation.ts'
import { inlineText, json, paragraphs } from './prose.ts'

/** A request of the platform to a webhook, and the responses that it accepts. */
export function webhookSection(document: OpenApi, type: string, operation: Operation): Html {
  const { operationId, summary, description, requestBody, responses } = operation
  const media = requestBody?.content['application/json']
  const parameters = operation.parameters.map(parameter => resolved(document, parameter))
  const [example] = examplesOf(document, media)
  const fields = parameters.map(({ name, schema, required = false, description }) => ({
    name,
    schema,
    required,
    description,
  }))
  return html`<article id="${operationId}" aria-labelledby="${operationId}-title">
    <div>
      <h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
      <p class="path"><span class="method" data-method="POST">POST</span> <code>${type}</code></p>
      ${paragraphs(description)}
      <h4>Headers</h4>${fieldList(document, fields, 'received')}
      <h4>Body</h4>${media && fieldsOf(document, media.schema, 'received')}
      <h4>Your answer</h4>${Object.entries(responses).map(([status, part]) => answer(document, status, part))}
    </div>
    <div class="examples">${codeFigure('What you get', json(example))}${replies(document, responses)}</div>
  </article>`
}

function answer(document: OpenApi, status: string, part: Operation['responses'][string]): Html {
  const { description, content = {} } = resolved(document, part)
  const media = content['application/json']
  return html`<p><code>${status}</code> ${inlineText(description)} ${Object.keys(content).map((type, index) => html`${index > 0 && ', '}<code>${type}</code>`)}</p>
    ${media && fieldsOf(document, media.schema, 'sent')}`
}

const replies = (document: OpenApi, responses: Operation['responses']): Html[] =>
  Object.values(responses).flatMap(part => {
    const [reply] = examplesOf(document, resolved(document, part).content?.['application/json'])
    return reply === undefined ? [] : [codeFigure('Your answer', json(reply))]
  })
