import { type DocumentNode, labelOf } from './readDocument.ts'
import type { Finding, Search } from './textSearch.ts'

/**
 * Searches the values, the attributes and the text of a node and of all below it; `path` leads to the node. A sentence whose
 * words are in several elements is found in the innermost element that contains it.
 */
export function searchDocument(root: DocumentNode, search: Search, path: string[]): Finding[] {
  return searchNode(root, search, path).findings
}

function searchNode(node: DocumentNode, search: Search, path: string[]): { text: string; findings: Finding[] } {
  const inner = node.children.map(child => searchNode(child, search, [...path, labelOf(child)]))
  const text = node.value + inner.map(child => child.text).join('')
  const below = inner.flatMap(child => child.findings)
  const isKnown = ({ text }: Finding) => below.some(finding => finding.text === text)
  const attributes = Object.entries(node.attributes).flatMap(([name, value]) =>
    search({ place: 'document', path: [...path, name], text: value }),
  )
  const here = search({ place: 'document', path, text }).filter(finding => !isKnown(finding))
  return { text, findings: [...below, ...attributes, ...here] }
}
