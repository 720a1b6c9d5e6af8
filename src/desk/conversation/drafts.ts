import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { maxMessageLength } from '../../widget/conversation/messageText.ts'
import { isTemporary } from './isTemporary.ts'

/** What a member can write: a reply to the visitor, or a note for the team. */
export type WritingMode = 'reply' | 'note'
type Texts = Record<WritingMode, string>

/** The member's drafts for a conversation. The platform keeps them. */
export interface Drafts {
  readonly texts: ReadonlySignal<Texts>
  /** Whether the platform has them. */
  readonly areKept: ReadonlySignal<boolean>
  setText(mode: WritingMode, text: string): void
  /** Keeps them now instead of in a moment. Resolves when that is done, or has failed. */
  flush(): Promise<void>
  dispose(): void
}

interface DraftsDeps {
  keep(texts: Partial<Texts>): Promise<unknown>
  /** Whether the platform's copy of an empty draft is still needed: its text has not been sent. */
  isUnsent(mode: WritingMode): boolean
}

const debounceMs = 800
const retryMs = 5000
const modes = ['reply', 'note'] as const

export function createDrafts(kept: Texts, { keep, isUnsent }: DraftsDeps): Drafts {
  const texts = signal(kept)
  /** What the platform has. */
  const keptTexts = signal(kept)
  let timer: ReturnType<typeof setTimeout> | undefined
  let keeping = Promise.resolve()
  let isDisposed = false

  function schedule(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(flush, ms)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    keeping = keeping.then(keepDue)
    return keeping
  }

  async function keepDue() {
    const current = texts.peek()
    const due = modes
      .map(mode => [mode, cut(current[mode])] as const)
      .filter(([mode, text]) => text !== keptTexts.peek()[mode] && (text || !isUnsent(mode)))
    if (due.length === 0) return
    const changed = Object.fromEntries(due)
    try {
      await keep(changed)
      keptTexts.value = { ...keptTexts.peek(), ...changed }
    } catch (error) {
      if (isTemporary(error) && !isDisposed) schedule(retryMs)
    }
  }

  return {
    texts,
    areKept: computed(() => modes.every(mode => texts.value[mode] === keptTexts.value[mode])),
    setText(mode, text) {
      texts.value = { ...texts.peek(), [mode]: text }
      schedule(debounceMs)
    },
    flush,
    dispose() {
      isDisposed = true
      clearTimeout(timer)
    },
  }
}

/** The platform keeps no more than can be sent. */
const cut = (text: string) => [...text].slice(0, maxMessageLength).join('')
