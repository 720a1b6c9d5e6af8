// An element with a `name` (or, of some kinds, an `id`) is a property of `document`, and wins over the real one:
// with <img name="body"> in the page, `document.body` is that image ("DOM clobbering"). The properties of the prototype
// can't be covered that way. It is found through the object, because old libraries replace `window.Document`.

/** The document's own property of that name, whatever the page's elements are called. */
export function getFromDocument<Name extends keyof Document>(name: Name): Document[Name] {
  return Reflect.get(Object.getPrototypeOf(document), name, document)
}

type MethodName = 'addEventListener' | 'createElement' | 'createElementNS' | 'querySelector' | 'querySelectorAll'

/** Calls the document's own method of that name, whatever the page's elements are called. */
export function callDocument<Name extends MethodName>(
  name: Name,
  ...args: Parameters<Document[Name]>
): ReturnType<Document[Name]> {
  return Reflect.apply(getFromDocument(name) as never, document, args)
}
