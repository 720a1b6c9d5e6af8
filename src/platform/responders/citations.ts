/** A source as a model names it, which may be anything. */
interface Citation {
  title: unknown
  url: unknown
}

/** Collects the pages that a model cites. */
interface Citations {
  readonly sources: readonly Citation[]
  /** Takes the citations of one piece of the reply. */
  add(delta: object | undefined): void
}

/**
 * Collects the pages that a model with web search cites (`url_citation`), each page once. The package `openai` has no type
 * for citations in a stream.
 */
export function createCitations(): Citations {
  const sources: Citation[] = []
  return {
    sources,
    add(delta) {
      if (!delta || !('annotations' in delta) || !Array.isArray(delta.annotations)) return
      for (const annotation of delta.annotations) {
        const { title, url } = Object(Object(annotation)['url_citation']) as Partial<Citation>
        if (url !== undefined && !sources.some(known => known.url === url)) sources.push({ title: title || url, url })
      }
    },
  }
}
