import type { Placement } from '../displayMode/placement.ts'

/**
 * The chat floats over the page. A script in the head runs before there is a body, so the document element is used then.
 */
export const floatingPlacement: Placement = {
  isInline: false,
  findContainer: () => document.body || document.documentElement,
  render() {},
  destroy() {},
}
