// The entry of a chunk that is loaded with the first message in Markdown.
import { nextTask } from '../ui/nextTask.ts'
import { createMarkdownParser } from './createMarkdownParser.ts'

export { default as styles } from '../styles/markdown.css?inline'
export { Markdown, type MarkdownProps } from './Markdown.tsx'

/**
 * Runs the parser once, in a task of its own, before anything is rendered. Browsers compile regular expressions on first
 * use, which takes a slow phone as long as evaluating this chunk.
 */
export async function warmUpParser(): Promise<void> {
  await nextTask()
  createMarkdownParser()('*a* [a](a)\n- a', false)
  await nextTask()
}
