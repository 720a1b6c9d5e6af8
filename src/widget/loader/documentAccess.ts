// DOM clobbering: an element with a `name` (or, for some elements, an `id`) hides the property of `document` with that
// name. With <img name="body"> in the page, `document.body` is that image. Properties of the prototype can't be hidden this
// way. The prototype is read from the object, because old libraries replace `window.Document`.

/** Reads a property of the document that an element of the page can't hide. */
export function getFromDocument<Name extends keyof Document>(name: Name): Document[Name] {
  return Reflect.get(Object.getPrototypeOf(document), name, document)
}

type MethodName =
  | 'addEventListener'
  | 'createElement'
  | 'createElementNS'
  | 'querySelector'
  | 'querySelectorAll'
  | 'removeEventListener'

/** Calls a method of the document that an element of the page can't hide. */
export function callDocument<Name extends MethodName>(
  name: Name,
  ...args: Parameters<Document[Name]>
): ReturnType<Document[Name]> {
  return Reflect.apply(getFromDocument(name) as never, document, args)
}
