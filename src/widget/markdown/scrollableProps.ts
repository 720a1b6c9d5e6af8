/**
 * Attributes that make a scrolling element focusable and give it an accessible name. Its role is not `region`, because
 * regions are landmarks of the page.
 */
export const scrollableProps = (label: string) => ({ role: 'group', 'aria-label': label, tabIndex: 0 }) as const
