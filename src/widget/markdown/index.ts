// The chunk that is fetched with the first message in Markdown.
export { adoptMarkdownStyles } from './adoptMarkdownStyles.ts'
export { createMarkdownParser } from './createMarkdownParser.ts'
export { Markdown, type MarkdownProps } from './Markdown.tsx'
