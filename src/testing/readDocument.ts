import type { CDPSession, Frame } from '@playwright/test'

/** A node of the document. */
export interface DocumentNode {
  /** `div`, `#text`, `#comment`, `#shadow-root (open)`, … */
  name: string
  attributes: Record<string, string>
  /** The text of a text node or a comment, the value of a form control. */
  value: string
  children: DocumentNode[]
}

/** Reads a frame's document with its open shadow roots, its templates, and what is typed into its forms. */
export async function readDocument(frame: Frame): Promise<DocumentNode> {
  return JSON.parse(await frame.evaluate(readInFrame)) as DocumentNode
}

/** Runs in the browser, so it uses nothing from outside of itself. */
function readInFrame(): string {
  /** Reads a property of the standard: a form's own is replaced by its field of that name, such as `attributes`. */
  const read = <Kind extends Node, Name extends keyof Kind>(kind: { prototype: Kind }, name: Name, node: Kind) =>
    Reflect.get(kind.prototype, name, node) as Kind[Name]
  const describe = (node: Node, name = read(Node, 'nodeName', node).toLowerCase()): DocumentNode => {
    const element = node instanceof Element ? node : null
    const root = element && read(Element, 'shadowRoot', element)
    const typed = element && 'value' in element && typeof element.value === 'string' ? element.value : ''
    const attributes = element ? [...read(Element, 'attributes', element)] : []
    return {
      name,
      attributes: Object.fromEntries(attributes.map(({ name, value }) => [name, value])),
      value: read(Node, 'nodeValue', node) ?? typed,
      children: [
        ...(root ? [describe(root, '#shadow-root (open)')] : []),
        ...(node instanceof HTMLTemplateElement ? [describe(node.content)] : []),
        ...[...read(Node, 'childNodes', node)].map(child => describe(child)),
      ],
    }
  }
  // The second argument would be the result of a `toJSON()` that a library of the page adds to arrays.
  return JSON.stringify(describe(document), function (this: Record<string, unknown>, key) {
    return this[key]
  })
}

const closedRoot = '#shadow-root (closed)'

/**
 * Reads the closed shadow roots of the page and of its frames from the same site, each with the names of the elements
 * around it. No script of the page can read them, but the browser's developer tools can.
 */
export async function readClosedRoots(devtools: CDPSession): Promise<{ path: string[]; root: DocumentNode }[]> {
  const { root } = await devtools.send('DOM.getDocument', { depth: -1, pierce: true })
  const found: { path: string[]; root: DocumentNode }[] = []
  const visit = (node: DocumentNode, path: string[]): void => {
    for (const child of node.children) {
      if (child.name === closedRoot) found.push({ path, root: child })
      else visit(child, [...path, labelOf(child)])
    }
  }
  visit(describe(root), [])
  return found
}

/** What the developer tools say of a node. */
interface InspectedNode {
  nodeName: string
  nodeValue: string
  /** Names and values in turn. */
  attributes?: string[]
  children?: InspectedNode[]
  shadowRoots?: InspectedNode[]
  shadowRootType?: string
  contentDocument?: InspectedNode
  templateContent?: InspectedNode
}

/** What is typed into a form control is in a shadow root of the browser's own. */
function describe(node: InspectedNode): DocumentNode {
  const { nodeName, nodeValue, attributes = [], children = [], shadowRoots = [], shadowRootType } = node
  const others = [node.contentDocument, node.templateContent].filter(other => other !== undefined)
  const pairs = attributes.flatMap((name, at) => (at % 2 === 0 ? [[name, attributes[at + 1] ?? '']] : []))
  return {
    name: shadowRootType ? `#shadow-root (${shadowRootType})` : nodeName.toLowerCase(),
    attributes: Object.fromEntries(pairs),
    value: nodeValue,
    children: [...shadowRoots, ...others, ...children].map(describe),
  }
}

/** How a path names a node: `div#total`, `p.note`. */
export function labelOf({ name, attributes }: DocumentNode): string {
  const [id, classes] = [attributes['id'], attributes['class']?.trim()]
  if (id) return `${name}#${id}`
  return classes ? `${name}.${classes.split(/\s+/).join('.')}` : name
}
