import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { IconButton } from '../ui/IconButton.tsx'
import type { MarkdownStrings } from './markdownStrings.ts'
import { scrollableProps } from './scrollableProps.ts'

const copyIcon = 'M9 9h11v11H9zM5 15H4V4h11v1'

interface CodeBlockProps {
  text: string
  language: string | undefined
  strings: MarkdownStrings
}

/** Code with its language and a button that copies it. */
export function CodeBlock({ text, language, strings }: CodeBlockProps): JSX.Element {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      // The browser has denied access to the clipboard. The visitor can still select the text.
    }
  }
  // "Copied" is shown until the pointer or the focus leaves the button, so there is no timer to clean up.
  const reset = () => setIsCopied(false)
  return (
    <div class="code" dir="ltr">
      <div class="tools">
        <span>{language}</span>
        <span role="status">{isCopied && strings.copied}</span>
        {/* Pages served over plain http have no clipboard. */}
        {navigator.clipboard && (
          <IconButton label={strings.copy} path={copyIcon} onClick={copy} onBlur={reset} onPointerLeave={reset} />
        )}
      </div>
      <pre {...scrollableProps(strings.code)}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
