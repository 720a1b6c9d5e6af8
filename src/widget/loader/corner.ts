import type { Placement } from '../displayMode/placement.ts'
import { getFromDocument } from './documentAccess.ts'

/** Over the page, which needs nothing but a body. A script in the head runs before there is one. */
export const corner: Placement = {
  isInline: false,
  findContainer: () => getFromDocument('body') || getFromDocument('documentElement'),
  render() {},
  destroy() {},
}
