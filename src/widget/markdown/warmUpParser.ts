import { nextTask } from '../ui/nextTask.ts'
import { createMarkdownParser } from './createMarkdownParser.ts'

/**
 * Runs the parser once, in a task of its own, before anything is rendered. Browsers compile regular expressions on first
 * use, which takes a slow phone as long as evaluating this chunk.
 */
export async function warmUpParser(): Promise<void> {
  await nextTask()
  createMarkdownParser()('*a* [a](a)\n- a', false)
  await nextTask()
}
