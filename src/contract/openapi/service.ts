import * as v from 'valibot'
import { data } from '../endpoint.ts'
import type { ErrorCode } from '../errors.ts'
import { object } from '../validation.ts'
import { type MediaType, type Operation, type PathItem, withExample } from './document.ts'
import { cached, everyAnswer } from './headers.ts'
import { pathParameters } from './operation.ts'
import { ofAnyPath, problemResponses } from './problems.ts'
import { responseSchema } from './schemas.ts'

interface Page {
  path: string
  /** Default: GET. */
  method?: 'post'
  summary: string
  description: string
  success: string
  content: Record<string, MediaType>
  /** Can be cached; 304 if the client has it already. */
  cached?: true
  /** Error codes in addition to those of any path. */
  errors?: readonly ErrorCode[]
}

const files = (...types: string[]): Record<string, MediaType> =>
  Object.fromEntries(types.map(type => [type, { schema: { type: 'string' } }]))

const status = data(object({ status: v.literal('ok'), version: v.string() }), { status: 'ok', version: '0.1.0' })
const well = { 'application/json': withExample(responseSchema(status.schema), status.example) }

const pages: Record<string, Page> = {
  checkHealth: {
    path: '/healthz',
    summary: 'Check that the process runs',
    description: 'For a supervisor that restarts the process. Does not call the store.',
    success: 'The process runs.',
    content: well,
  },
  checkReadiness: {
    path: '/readyz',
    summary: 'Check that the platform is ready',
    description:
      'For a load balancer. The platform is ready if the store answers within a second and the server is not stopping.',
    success: 'The platform is ready.',
    content: well,
  },
  readMetrics: {
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    description: 'For requests from the same machine, unless configured otherwise. Others get 404.',
    success: 'The metrics.',
    content: files('text/plain'),
    errors: ['not_found'],
  },
  readOpenApi: {
    path: '/v1/openapi.json',
    summary: 'This document',
    description: 'The only JSON body that is not wrapped in `data`.',
    success: 'The document.',
    content: { 'application/json': { schema: { type: 'object' } } },
    cached: true,
  },
  checkStream: {
    path: '/v1/stream-check',
    summary: 'Check that streams arrive unbuffered',
    description:
      'Sends four events, 300 ms apart, and ends. If they arrive together, a proxy buffers streams. Needs no token and creates no session.',
    success: 'The events.',
    content: files('text/event-stream'),
    errors: ['rate_limited'],
  },
  readDocumentation: {
    path: '/docs',
    summary: 'The documentation',
    description: 'Begins with what Natter is, and leads to all guides. Loads nothing from other servers.',
    success: 'The page.',
    content: files('text/html'),
    cached: true,
    errors: ['not_found'],
  },
  readDocumentationPage: {
    path: '/docs/{page}',
    summary: 'A page of the documentation',
    description:
      'A guide, or at `/docs/api` this document as a page. Also the style, the scripts and the pictures of the pages.',
    success: 'The page or file.',
    content: files('text/html', 'text/css', 'text/javascript', 'image/svg+xml', 'image/webp'),
    cached: true,
    errors: ['not_found'],
  },
  readUnsubscribePage: {
    path: '/email/unsubscribe/{token}',
    summary: 'The page that ends emails',
    description: 'To which emails about unread messages link. It changes nothing before its button is used.',
    success: 'The page, which also says that a link is not known, or not any more.',
    content: files('text/html'),
    errors: ['rate_limited'],
  },
  unsubscribe: {
    path: '/email/unsubscribe/{token}',
    method: 'post',
    summary: 'End emails to a visitor',
    description:
      'Sent by the button of the page, or by a mail program (RFC 8058). With the form field `action=resume`, emails begin again.',
    success: 'The page.',
    content: files('text/html'),
    errors: ['body_too_large', 'malformed_body', 'rate_limited', 'request_timeout'],
  },
  readConfirmPage: {
    path: '/email/confirm/{token}',
    summary: 'The page that confirms an address',
    description:
      'To which the email leads that an anonymous visitor’s address gets. It changes nothing before its button is used.',
    success: 'The page, which also says that a link is not known, or not any more.',
    content: files('text/html'),
    errors: ['rate_limited'],
  },
  confirmEmail: {
    path: '/email/confirm/{token}',
    method: 'post',
    summary: 'Confirm an address',
    description: 'Sent by the button of the page. From then on, answers to the visitor reach the address.',
    success: 'The page, which also says that a link is not known, or not any more.',
    content: files('text/html'),
    errors: ['rate_limited'],
  },
  loadScript: {
    path: '/natter.js',
    summary: 'The widget’s script',
    description: 'May be cached for five minutes.',
    success: 'The script.',
    content: files('text/javascript'),
    cached: true,
    errors: ['not_found'],
  },
  loadScriptPart: {
    path: '/natter@{version}/{file}',
    summary: 'A part of the widget',
    description: 'Never changes. The files of the previous version stay available.',
    success: 'The part.',
    content: files('text/javascript'),
    cached: true,
    errors: ['not_found'],
  },
}

/** Endpoints outside the endpoint table, for operators and browsers. */
export const servicePaths = (): Record<string, PathItem> =>
  Object.entries(pages).reduce<Record<string, PathItem>>((paths, [name, page]) => {
    paths[page.path] = { ...paths[page.path], [page.method ?? 'get']: operation(name, page) }
    return paths
  }, {})

function operation(operationId: string, page: Page): Operation {
  const headers = page.cached ? cached : everyAnswer
  return {
    operationId,
    tags: ['Service'],
    summary: page.summary,
    description: page.description,
    security: [],
    parameters: pathParameters(page.path),
    responses: {
      200: { description: page.success, headers, content: page.content },
      ...(page.cached && { 304: { description: 'The content still has the `ETag` that was sent.', headers } }),
      ...problemResponses([...(page.errors ?? []), ...ofAnyPath]),
    },
  }
}
