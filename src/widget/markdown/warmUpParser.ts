import { nextTask } from '../ui/nextTask.ts'
import { createMarkdownParser } from './createMarkdownParser.ts'

/**
 * The browser compiles the parser's expressions when each is first used, which costs a slow phone as much as evaluating this
 * chunk. So that happens in a task of its own, before anything is rendered.
 */
export async function warmUpParser(): Promise<void> {
  await nextTask()
  createMarkdownParser()('*a* [a](a)\n- a', false)
  await nextTask()
}
