import { expect, it } from 'vitest'
import { endpoints, errorCatalogue, openapi } from '../../contract/index.ts'
import { apiReference } from './apiReference.ts'
import { renderMarkdown, unescaped, withoutElements } from './renderMarkdown.ts'

const document = openapi('1.2.3')
const page = renderMarkdown(apiReference(document), link => link).content
const textOf = (html: string) => unescaped(withoutElements(html)).replace(/\s+/g, ' ')
const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)

it('shows every operation, event, error and object of the OpenAPI document, each with an anchor', () => {
  expect(new Set(ids).size).toBe(ids.length)
  const wanted = [
    ...Object.keys(endpoints),
    ...Object.keys(errorCatalogue).map(code => `error-${code}`),
    ...['turnRequested', 'messageCreated', 'schema-Contact', 'schema-Problem', 'contact-tokens', 'webhooks'],
    ...['introduction', 'objects', 'errors'],
  ]
  expect(wanted.filter(id => !ids.includes(id))).toEqual([])
})

it('links only to its own anchors and to the OpenAPI document', () => {
  const links = [...page.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link)
  expect(new Set(links.filter(link => !ids.includes(link.slice(1))))).toEqual(new Set(['../v1/openapi.json']))
})

it('contains commands that a shell can run as they are', () => {
  const text = unescaped(withoutElements(page))
  expect(text).toContain(`curl -X PUT "$BASE/v1/bots/$BOT/contacts" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "Ada Lovelace",`)
  expect(text).toContain('curl -X POST "$BASE/v1/bots/$BOT/contacts?query=ada"')
  expect(text).toContain('curl -N "$BASE/v1/bots/$BOT/widget/events"')
})

it('shows for each field whether it is required and its limits', () => {
  const [, create = ''] = /<h3 id="createContact">([\s\S]*?)<h3/.exec(page) ?? []
  const text = textOf(create)
  expect(text).toContain('name string, required, 1 to 255 characters')
  expect(text).toContain('at most 128 characters')
  expect(text).toContain('email_taken')
  expect(text).toContain('Idempotency-Key')
})

it('shows every description as it is in the document: Markdown takes no character of it for markup', () => {
  const text = textOf(page)
  const descriptions: string[] = []
  const collect = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    for (const [key, value] of Object.entries(part))
      if ((key === 'description' || key === 'summary') && typeof value === 'string') descriptions.push(value)
      else collect(value)
  }
  for (const item of Object.values(document.paths))
    for (const { summary, description, parameters } of Object.values(item))
      collect({ summary, description, parameters })
  collect({
    info: document.info,
    tags: document.tags,
    webhooks: document.webhooks,
    examples: document.components.examples,
  })
  collect(document.components.schemas)
  const words = descriptions
    .flatMap(each => each.split('\n\n'))
    .map(each => each.replaceAll('`', '').replace(/\s+/g, ' '))
  expect(words.length).toBeGreaterThan(300)
  expect([...new Set(words)].filter(each => !text.includes(each.trim()))).toEqual([])
})
