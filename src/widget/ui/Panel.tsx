import type { ComponentChild } from 'preact'
import { useRef } from 'preact/hooks'
import type { Models } from '../core.ts'
import { Composer } from './Composer.tsx'
import type { Dates } from './dates.ts'
import { Header } from './Header.tsx'
import { Notices } from './Notices.tsx'
import { Transcript } from './Transcript.tsx'
import { useFocus } from './useFocus.ts'
import { useFullScreen } from './useFullScreen.ts'
import { useLiveRules } from './useLiveRules.ts'

/** What the panel needs of its surroundings. */
export interface PanelProps {
  models: Models
  dates: Dates
  root: ShadowRoot
  live: CSSStyleSheet
}

/** The open panel: a dialog beside the page, or over the whole of it on a small screen. */
export function Panel({ models, dates, root, live }: PanelProps): ComponentChild {
  const { conversation, panel, strings } = models
  const dialog = useRef<HTMLDivElement>(null)
  const fullScreen = useFullScreen(root)
  const keepFocus = useFocus(root, dialog)
  useLiveRules(root, live, models)
  return (
    <div
      class="panel"
      part="panel"
      role="dialog"
      aria-modal={fullScreen.value}
      aria-label={conversation.bot.value?.name ?? strings.chat}
      ref={dialog}
      onClick={keepFocus}
      onKeyDown={event => {
        // An IME closes its own list with Escape.
        if (event.key === 'Escape' && !event.isComposing) panel.close()
      }}
    >
      <Header models={models} />
      <Notices models={models} />
      <Transcript models={models} dates={dates} />
      <Composer models={models} />
    </div>
  )
}
