/**
 * Attributes of an element that scrolls: it can be reached by keyboard, and says what it is. It is no region, since
 * those are landmarks of the page.
 */
export const scrollableProps = (label: string) => ({ role: 'group', 'aria-label': label, tabIndex: 0 }) as const
