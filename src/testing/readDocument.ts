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
  const describe = (node: Node, name = node.nodeName.toLowerCase()): DocumentNode => {
    const element = node instanceof Element ? node : null
    const typed = element && 'value' in element && typeof element.value === 'string' ? element.value : ''
    return {
      name,
      attributes: Object.fromEntries([...(element?.attributes ?? [])].map(({ name, value }) => [name, value])),
      value: node.nodeValue ?? typed,
      children: [
        ...(element?.shadowRoot ? [describe(element.shadowRoot, '#shadow-root (open)')] : []),
        ...(node instanceof HTMLTemplateElement ? [describe(node.content)] : []),
        ...[...node.childNodes].map(child => describe(child)),
      ],
    }
  }
  return JSON.stringify(describe(document))
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
