import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { IdentityStore } from '../identity/identityStore.ts'
import type { KeepOptions, SessionScope } from '../identity/sessionScope.ts'
import type { StoredDraft } from '../store/guards.ts'
import { updateState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'

export type DraftModel = Pick<Draft, 'text' | 'maxLength' | 'isTruncated' | 'setText'>

/** In UTF-16 code units: five times the length of a message, and still fast to lay out at each keystroke. */
export const maxDraftLength = 20_000

/** Limits how much text a crash can lose. */
const saveMs = 300

interface DraftDeps extends Pick<ConversationDeps, 'clock' | 'page' | 'abortSignal' | 'canWrite'> {
  identity: Pick<IdentityStore, 'readDraft' | 'writeDraft'>
}

type OwnedText = Omit<StoredDraft, 'epoch'>

/**
 * The text in the composer. It survives a reload and is cleared when the session ends. All tabs share the stored draft, and
 * the last one that writes wins. Until it is known whose session it is, the stored text is not shown; what is written
 * meanwhile is appended to it.
 */
export class Draft {
  readonly #deps: DraftDeps
  readonly #text = signal('')
  readonly #isTruncated = signal(false)
  #scope: SessionScope | undefined
  /**
   * What is stored before `text`: a draft that is not shown yet, or nothing once it is shown. `undefined` while that is known to
   * storage alone, where another tab may change it.
   */
  #before: OwnedText | undefined
  /** A contact's draft of the epoch that a login has ended. It is shown if the same contact continues in the next one. */
  #carried: StoredDraft | undefined
  /** A text that has been sent and may still be in storage. */
  #sent = ''
  /** Cancels the next save. `undefined` if everything is saved. */
  #cancelSave: (() => void) | undefined
  /** Whether the text was written in this page. One of another tab is never kept for the next session. */
  #isOwn = false
  /** The text after the last `prefill()`, and what the visitor had written before it. */
  #prefilled = { text: '', before: '' }

  readonly text: ReadonlySignal<string> = this.#text
  readonly maxLength: number = maxDraftLength
  /** Whether the last text exceeded `maxLength` and was cut. */
  readonly isTruncated: ReadonlySignal<boolean> = this.#isTruncated

  constructor(deps: DraftDeps) {
    this.#deps = deps
    const { page, abortSignal } = deps
    for (const event of ['visibilitychange', 'pagehide', 'storage', 'natter:auth'] as const) {
      abortSignal.addEventListener(
        'abort',
        page.on(event, () => {
          this.save()
          this.#follow()
        }),
      )
    }
    abortSignal.addEventListener('abort', () => this.#planSave(false))
  }

  setText = (next: string): void => {
    // An input method may finish a word after the field has become read-only.
    if (!this.#deps.canWrite.peek()) return
    const text = truncate(next)
    updateState(() => {
      this.#isTruncated.value = text !== next
      if (text === this.text.peek()) return
      this.#text.value = text
      this.#isOwn = true
      if (!this.#cancelSave) this.#planSave(true)
    })
  }

  /**
   * Puts a text of the page into the composer, in place of the last one. What the visitor has written stays, before it, and
   * if they have edited the text of the page, that stays, too.
   */
  prefill(text: string): void {
    const current = this.text.peek()
    const own = current === this.#prefilled.text ? this.#prefilled.before : current
    const withText = own.trim() ? `${own}\n${text}` : text
    this.setText(hasLines(own, text) ? own : withText)
    this.#prefilled = { text: this.text.peek(), before: own }
  }

  /**
   * Empties the draft, because its text has been sent. Returns a function that removes it from storage, to be called when the
   * message is stored: a crash may double a text, but must not lose it.
   */
  finish(): () => void {
    // The function compares with what is stored.
    this.save()
    const { identity } = this.#deps
    const { epoch = '' } = this.#scope ?? {}
    const left = this.#readBefore()
    const sent = join(left.text, this.text.peek())
    this.#sent = sent
    this.#take('')
    return () => {
      if (identity.readDraft().text === sent) identity.writeDraft(epoch, left)
      if (this.#sent === sent) this.#sent = ''
    }
  }

  /** Saves unsaved text immediately. Tries again later if another epoch has begun, which this tab may not have noticed yet. */
  save(): void {
    if (!this.#cancelSave || !this.#scope) return
    const before = this.#readBefore()
    const whole = { owner: before.owner, text: join(before.text, this.text.peek()) }
    const isSaved = this.#deps.identity.writeDraft(this.#scope.epoch, whole)
    this.#planSave(!isSaved)
    if (isSaved) this.#before = before
  }

  /** Keeps the draft of a contact for a login that may be the same contact's. Call it before that begins an epoch. */
  carry(): void {
    this.save()
    const stored = this.#deps.identity.readDraft()
    const draft = stored.owner ? stored : this.#carried
    this.#carried = draft && { ...draft, epoch: this.#epoch() }
  }

  /** Switches to another session and clears the text. `keepUnsent` keeps a text that was written in this page. */
  reset(scope: SessionScope, { keepUnsent }: KeepOptions): void {
    this.save()
    const isSameEpoch = this.#epoch() === scope.epoch
    const isKept = keepUnsent && this.#isOwn
    // A kept text is stored already, and must not be appended to itself.
    this.#before = isSameEpoch && isKept ? this.#readBefore() : undefined
    if (!isSameEpoch && this.#carried?.epoch !== this.#epoch()) this.#carried = undefined
    this.#scope = scope
    this.#sent = ''
    if (!isKept) {
      this.#prefilled = { text: '', before: '' }
      this.#take('')
    }
    this.#planSave(this.text.peek() !== '')
    // Removes the draft of another epoch.
    this.#deps.identity.readDraft()
  }

  /** Shows the stored draft, once it is known whose session it is, followed by what has been written meanwhile. */
  show(owner: string): void {
    const before = this.#readBefore()
    const carried = owner && this.#carried?.owner === owner ? this.#carried.text : ''
    const stored = join(carried, before.text)
    const own = this.text.peek()
    // A page may prefill the same text on every load.
    const isRepeated = own && own === this.#prefilled.text && hasLines(stored, own)
    const whole = isRepeated ? stored : join(stored, own)
    const text = truncate(whole)
    this.#before = { owner, text: '' }
    this.#carried = undefined
    this.#isOwn &&= own !== ''
    updateState(() => {
      this.#text.value = text
      this.#isTruncated.value ||= text !== whole
    })
    if (text !== before.text || (text !== '' && owner !== before.owner)) this.#planSave(true)
    this.save()
  }

  /** Removes the draft of another epoch, and shows what another tab has written in this one. */
  #follow(): void {
    const { epoch, text } = this.#deps.identity.readDraft()
    if (!this.#scope?.isReady.peek() || this.#cancelSave || (text && text === this.#sent)) return
    if (epoch === this.#scope.epoch) this.#take(text)
    // A late write from an epoch that has ended may have replaced the text of this one.
    else this.#planSave(this.text.peek() !== '')
  }

  /** Replaces the text by one that was not written in this page. */
  #take(text: string): void {
    if (text && text === this.text.peek()) return
    this.#isOwn = false
    updateState(() => {
      this.#text.value = text
      this.#isTruncated.value = false
    })
  }

  #epoch(): string {
    return this.#scope?.epoch ?? ''
  }

  #readBefore(): OwnedText {
    if (this.#before) return this.#before
    const { epoch, owner, text } = this.#deps.identity.readDraft()
    return epoch === this.#epoch() ? { owner, text } : { owner: '', text: '' }
  }

  #planSave(isUnsaved: boolean): void {
    this.#cancelSave?.()
    this.#cancelSave = isUnsaved ? this.#deps.clock.setTimeout(() => this.save(), saveMs) : undefined
  }
}

const join = (stored: string, own: string) => [stored, own].filter(Boolean).join('\n')

/** Whether the text has these lines already. The visitor may have gone on writing after the last word of them. */
function hasLines(text: string, lines: string): boolean {
  if (!lines.trim()) return true
  const [, after] = `\n${text}`.split(`\n${lines.trim()}`)
  return after !== undefined && !/^[\p{L}\p{N}]/u.test(after)
}

/** Cuts at the limit, but never through a surrogate pair. */
function truncate(text: string): string {
  if (text.length <= maxDraftLength) return text
  return text.slice(0, maxDraftLength).replace(/[\ud800-\udbff]$/, '')
}
