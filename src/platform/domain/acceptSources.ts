import { maxSources, type Source, sourceInputSchema, validate } from '../../contract/index.ts'

/** Where an answer of a responder has its content from, and why the other sources that it named are dropped. */
export interface AcceptedSources {
  sources: Source[]
  /** For the log, without titles and addresses. */
  dropped: string[]
}

/** Keeps the valid sources of a responder: a bad one must not cost the visitor the answer. */
export function acceptSources(given: unknown): AcceptedSources {
  if (!Array.isArray(given)) return { sources: [], dropped: ['/sources Must be an array.'] }
  const sources: Source[] = []
  const dropped: string[] = []
  given.forEach((each: unknown, index) => {
    const checked = validate(sourceInputSchema, each)
    if ('errors' in checked)
      dropped.push(...checked.errors.map(({ pointer, detail }) => `/sources/${index}${pointer} ${detail}`))
    else if (sources.length < maxSources) sources.push(checked.output)
    else dropped.push(`/sources/${index} Must have at most ${maxSources} entries.`)
  })
  return { sources, dropped: dropped.slice(0, maxReported) }
}

/** A responder that names a thousand bad sources must not fill the log. */
const maxReported = 3
