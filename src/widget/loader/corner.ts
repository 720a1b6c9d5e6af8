import type { Placement } from '../displayMode/placement.ts'
import { getFromDocument } from './documentAccess.ts'

/** The chat floats over the page: in its body or, for a script in the head, which runs before there is one, beside it. */
export const corner: Placement = {
  isInline: false,
  findContainer: () => getFromDocument('body') || getFromDocument('documentElement'),
  render() {},
  destroy() {},
}
