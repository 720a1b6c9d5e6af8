import type { ReadonlySignal } from '@preact/signals'
import { createContext, type FunctionComponent } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import type { MarkdownProps } from '../markdown/index.ts'
import type { AttachButton, DraftFiles, MessageFiles } from './attachments/index.ts'
import type { CoveredPage } from './coveredPage.ts'
import type { DraftLimitProps } from './DraftLimit.tsx'
import type { Dates, LazyDates } from './dates.ts'
import type { linkify } from './links.tsx'
import type { RatingButtonsProps } from './RatingButtons.tsx'
import type { SourcesProps } from './Sources.tsx'
import type { StopButtonProps } from './StopButton.tsx'
import type { createTopLayer } from './topLayer.ts'

/** The parts of the panel that are separate chunks. */
export interface LazyParts {
  /** The transcript, and what else an open panel needs as soon as it takes text. */
  transcript: LazyPart<{
    Transcript: FunctionComponent<{ dates: Dates }>
    lazyDates: LazyDates
    Notices: FunctionComponent
    DraftLimit: FunctionComponent<DraftLimitProps>
    StopButton: FunctionComponent<StopButtonProps>
    coveredPage: CoveredPage
  }>
  /** What an open panel needs next. */
  more: LazyPart<{
    Menu: FunctionComponent
    RatingButtons: FunctionComponent<RatingButtonsProps>
    Sources: FunctionComponent<SourcesProps>
    createTopLayer: typeof createTopLayer
    linkify: typeof linkify
  }>
  markdown: LazyPart<{ Markdown: FunctionComponent<MarkdownProps> }>
  /** The button that attaches files, the files in the composer, and those of messages. */
  attachments: LazyPart<{
    AttachButton: typeof AttachButton
    DraftFiles: typeof DraftFiles
    MessageFiles: typeof MessageFiles
  }>
}

export interface LazyPart<Part> {
  /** `null` until it has been fetched. */
  readonly part: ReadonlySignal<Part | null>
  readonly hasFailed: ReadonlySignal<boolean>
  /** Loads the part, unless it is loaded. Retries at once after a failure. */
  load(): void
}

export const LazyPartsContext = createContext<LazyParts | null>(null)

/** Returns a part, and loads it when it is needed. Returns `null` until it is loaded, and if loading fails. */
export function useLazyPart<Name extends keyof LazyParts>(
  name: Name,
  isNeeded: boolean,
): LazyParts[Name]['part']['value'] {
  const lazy = useContext(LazyPartsContext)?.[name]
  useEffect(() => {
    if (isNeeded) lazy?.load()
  }, [isNeeded])
  return isNeeded && lazy ? lazy.part.value : null
}
