import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { maxMessageLength } from '../../widget/conversation/messageText.ts'

/** What a member can write: a reply to the visitor, or a note for the team. */
export type WritingMode = 'reply' | 'note'
type Texts = Record<WritingMode, string>

/** The member's drafts for a conversation. The platform keeps them. */
export interface Drafts {
  readonly texts: ReadonlySignal<Texts>
  /** Whether the platform has them. */
  readonly areKept: ReadonlySignal<boolean>
  setText(mode: WritingMode, text: string): void
  /** Keeps them now instead of in a moment. */
  flush(): void
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
  let isKeeping = false

  const unkept = (mode: WritingMode) => texts.value[mode] !== keptTexts.value[mode]

  function schedule(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(flush, ms)
  }

  async function flush() {
    clearTimeout(timer)
    if (isKeeping) return
    const current = texts.peek()
    const due = modes.filter(mode => unkept(mode) && (current[mode] || !isUnsent(mode)))
    if (due.length === 0) return
    isKeeping = true
    try {
      // The platform keeps no more than can be sent.
      await keep(Object.fromEntries(due.map(mode => [mode, [...current[mode]].slice(0, maxMessageLength).join('')])))
      keptTexts.value = { ...keptTexts.peek(), ...Object.fromEntries(due.map(mode => [mode, current[mode]])) }
      if (modes.some(unkept)) schedule(debounceMs)
    } catch {
      schedule(retryMs)
    } finally {
      isKeeping = false
    }
  }

  return {
    texts,
    areKept: computed(() => !modes.some(unkept)),
    setText(mode, text) {
      texts.value = { ...texts.peek(), [mode]: text }
      schedule(debounceMs)
    },
    flush,
  }
}
