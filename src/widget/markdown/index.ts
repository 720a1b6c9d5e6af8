// The entry of a chunk that is loaded with the first message in Markdown.

export { default as markdownStyles } from '../styles/markdown.css?inline'
export { Markdown, type MarkdownProps } from './Markdown.tsx'
export { warmUpParser } from './warmUpParser.ts'
