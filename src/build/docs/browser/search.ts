// The script of the search page. The texts of all guides are inside, so that the page needs no request.
import MiniSearch from 'minisearch'
import type { Section } from '../page.ts'

declare const __SECTIONS__: Section[]

const shown = 30
const excerptLength = 180

const sections = __SECTIONS__
const index = new MiniSearch<Section & { id: number }>({
  fields: ['title', 'task', 'text'],
  searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 4, task: 2 } },
})
index.addAll(sections.map((section, id) => ({ ...section, id })))

const query = document.querySelector<HTMLInputElement>('#query')
const status = document.querySelector('#status')
const list = document.querySelector('#results')

/** The part of a section's text around the first of the words. */
function excerpt(text: string, words: string[]): string {
  const lower = text.toLowerCase()
  const places = words.map(word => lower.indexOf(word)).filter(place => place >= 0)
  const middle = Math.min(...places, text.length)
  const start = middle < excerptLength || places.length === 0 ? 0 : text.lastIndexOf(' ', middle - 40) + 1
  const part = text.slice(start, start + excerptLength)
  const isEnd = start + excerptLength >= text.length
  return `${start > 0 ? '… ' : ''}${isEnd ? part : `${part.replace(/\S*$/, '')}…`}`
}

function item({ name, anchor, task, title, text }: Section, words: string[]): HTMLElement {
  const link = document.createElement('a')
  // Relative to /docs/search.
  link.href = `${name || '../docs'}#${anchor}`
  link.textContent = title
  const page = document.createElement('span')
  page.textContent = task
  const found = document.createElement('p')
  found.textContent = excerpt(text, words)
  const entry = document.createElement('li')
  entry.append(link, page, found)
  return entry
}

function search(): void {
  const text = query?.value.trim() ?? ''
  // A reader who follows a result and goes back finds the results again.
  history.replaceState(null, '', `#${encodeURIComponent(text)}`)
  const results = text ? index.search(text) : []
  const words = results.flatMap(({ terms }) => terms)
  list?.replaceChildren(
    ...results.slice(0, shown).flatMap(({ id }) => {
      const section = sections[id]
      return section ? [item(section, words)] : []
    }),
  )
  if (status) status.textContent = text && (results.length > 0 ? `${results.length} found` : 'Nothing found')
}

if (query) {
  // What a reader has typed while this loaded comes first.
  query.value ||= decodeURIComponent(location.hash.slice(1))
  query.addEventListener('input', search)
  if (query.value) search()
}
