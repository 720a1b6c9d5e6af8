import type { JSX } from 'preact'

/**
 * A text that changes while it is shown. A translator of pages replaces text nodes, so a change of one would not be seen, and
 * its former translation would stay. So each text gets a new element.
 */
export const LiveText = ({ text }: { text: string | false | null | undefined }): JSX.Element | null =>
  text ? <span key={text}>{text}</span> : null
