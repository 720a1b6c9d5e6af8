import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import { type DraftVersion, emptyDraft } from '../storage/guards.ts'
import type { IdentityStore } from '../storage/identityStore.ts'
import type { Deps } from './deps.ts'
import { editDraft, finishDraft, joinDrafts, mergeDrafts } from './mergeDrafts.ts'
import type { KeepOptions, SessionScope } from './session/sessionScope.ts'
import { updateState } from './updateState.ts'

/** The text in the composer. It survives a reload and is cleared when the session ends. */
export interface DraftModel {
  readonly text: ReadonlySignal<string>
  /** In UTF-16 code units. */
  readonly maxLength: number
  /** Whether the last text exceeded `maxLength` and was cut. */
  readonly isTruncated: ReadonlySignal<boolean>
  setText(text: string): void
}

/** In UTF-16 code units: five times the length of a message, and still fast to lay out at each keystroke. */
export const maxDraftLength = 20_000

/** Limits how much text a crash can lose. */
const saveMs = 300

export interface DraftDeps extends Pick<Deps, 'cache' | 'clock' | 'page' | 'abortSignal'> {
  createMessageId(): string
  identity: Pick<IdentityStore, 'keepUnsavedDraft' | 'takeUnsavedDraft' | 'discardEndedDraft'>
}

/** What is left of a draft that has been sent. */
export interface FinishedDraft {
  /** The id of the message; `''` if there was no draft. */
  messageId: string
  /** The emptied draft. */
  version: DraftVersion
  /** Whether a login does not keep the text, because it may be another person's. */
  isExcluded: boolean
}

export class Draft implements DraftModel {
  readonly #deps: DraftDeps
  readonly #version = signal(emptyDraft)
  readonly #savedVersion = signal(emptyDraft)
  readonly #isTruncated = signal(false)
  #scope: SessionScope | undefined
  /** The scope whose stored draft is known. Until then, saving could replace that draft. */
  #restoredScope: SessionScope | undefined
  /** The text has changed, and a timer will call `save()`. */
  #hasUnsaved = false
  /** The id of the last draft written in this page. A draft from another tab is never kept for the next session. */
  #writtenId = ''
  /**
   * The id of the draft that a login keeps: one that was begun in this page, since `excludeFromLogin()`, and that no other tab
   * has edited.
   */
  #begunId = ''
  /** Whether IndexedDB has the last version. False while a `save()` is in progress. */
  #isStored = true
  #cancelTimer = () => {}
  /** The text after the last `prefill()`, and what the visitor had written before it. */
  #prefilled = { text: '', before: '' }

  readonly text: ReadonlySignal<string> = computed(() => this.#version.value.text)
  readonly maxLength: number = maxDraftLength
  readonly isTruncated: ReadonlySignal<boolean> = this.#isTruncated
  /** The last version that this tab has saved. `TabSync` sends it to the other tabs. */
  readonly savedVersion: ReadonlySignal<DraftVersion> = this.#savedVersion

  constructor(deps: DraftDeps) {
    this.#deps = deps
    const { page, abortSignal } = deps
    const stops = [
      page.on('visibilitychange', () => {
        if (this.#restoredScope) this.save()
        else this.#saveInLocalStorage()
      }),
      page.on('pagehide', () => this.#saveInLocalStorage() || this.saveBeforeEnd()),
      page.on('storage', () => deps.identity.discardEndedDraft()),
    ]
    abortSignal.addEventListener('abort', () => {
      for (const stop of stops) stop()
    })
    abortSignal.addEventListener('abort', () => this.#cancelTimer())
  }

  setText = (next: string): void => {
    const text = truncate(next)
    updateState(() => {
      this.#isTruncated.value = text !== next
      if (text === this.text.peek()) return
      const before = this.#version.peek().id
      this.#version.value = editDraft(this.#version.peek(), text, this.#deps.createMessageId)
      this.#writtenId = this.#version.peek().id
      if (this.#writtenId !== before) this.#begunId = this.#writtenId
      this.#isStored = false
      this.#saveSoon()
    })
  }

  /**
   * Puts a text of the page into the composer, in place of the last one. What the visitor has written stays, before it, and
   * if they have edited the text of the page, that stays, too.
   */
  prefill(text: string): void {
    const current = this.text.peek()
    const own = current === this.#prefilled.text ? this.#prefilled.before : current
    if (hasLines(own, text)) {
      this.setText(own)
      this.#prefilled = { text: '', before: '' }
      return
    }
    this.setText(own.trim() ? `${own}\n${text}` : text)
    this.#prefilled = { text: this.text.peek(), before: own }
  }

  /** Empties the draft, because its text has been sent. The caller saves the returned version together with the message. */
  finish(): FinishedDraft {
    this.#discardUnsaved()
    this.#isStored = true
    const { id, messageId } = this.#version.peek()
    updateState(() => {
      this.#isTruncated.value = false
      this.#version.value = finishDraft(this.#version.peek())
      this.#savedVersion.value = this.#version.peek()
    })
    return { messageId, version: this.#version.peek(), isExcluded: messageId !== '' && id !== this.#begunId }
  }

  /** From now on somebody else may write. A login does not keep this draft, even if it is edited. */
  excludeFromLogin(): void {
    this.#begunId = ''
  }

  /** Saves unsaved text immediately, if the stored draft is known. */
  save(): void {
    if (this.#restoredScope) this.#put(this.#restoredScope, mergeDrafts)
  }

  /** Saves unsaved text because the session or the page ends. If the stored draft isn't known yet, both texts are kept. */
  saveBeforeEnd(): void {
    const { createMessageId } = this.#deps
    if (this.#restoredScope) this.save()
    else if (this.#scope?.token) this.#put(this.#scope, (stored, own) => joinDrafts(stored, own, createMessageId))
  }

  #put(scope: SessionScope, merge: (stored: DraftVersion, own: DraftVersion) => DraftVersion): void {
    if (!this.#hasUnsaved) return
    this.#discardUnsaved()
    const own = this.#version.peek()
    updateState(() => {
      this.#savedVersion.value = own
    })
    const put = this.#deps.cache.putDraft(scope.epoch, stored => {
      const isOutdated = stored.finishedIds.includes(own.id) || (stored.id === own.id && stored.revision > own.revision)
      // This tab was frozen while another one sent or edited the draft.
      if (isOutdated && this.#restoredScope === scope) this.applyRemote(stored)
      return merge(stored, own)
    })
    void put.then(isWritten => {
      if (isWritten && this.#version.peek() === own) this.#isStored = true
    })
  }

  /**
   * Saves the draft synchronously when the page is closed or navigates away. An IndexedDB transaction might not complete,
   * and would keep the page out of the back/forward cache. Returns whether nothing is left to save.
   */
  #saveInLocalStorage(): boolean {
    const own = this.#version.peek()
    if (this.#isStored || !this.#scope) return true
    if (!this.#deps.identity.keepUnsavedDraft(this.#scope.epoch, own)) return false
    this.#discardUnsaved()
    updateState(() => {
      this.#savedVersion.value = own
    })
    return true
  }

  /** Returns the version to send to another tab. */
  currentVersion(): DraftVersion {
    return this.#version.peek()
  }

  /** Merges the version of another tab into this one. Returns the result. */
  applyRemote(incoming: DraftVersion): DraftVersion {
    const merged = mergeDrafts(this.#version.peek(), incoming)
    this.#noticeRemoteEdit(merged)
    updateState(() => {
      this.#version.value = merged
    })
    return merged
  }

  /** Another tab may have edited this page's draft. A login does not keep it then: nobody can say whose the text is. */
  #noticeRemoteEdit({ id, text }: DraftVersion): void {
    const own = this.#version.peek()
    if (id === own.id && text !== own.text) this.#begunId = ''
  }

  /**
   * Switches to another session and clears the text. `keepUnsent` keeps a text that was written in this page, on a login
   * only one that was also begun here.
   */
  reset(scope: SessionScope, { keepUnsent, isLogin }: KeepOptions = { keepUnsent: false }): void {
    const isKept = keepUnsent && this.#version.peek().id === (isLogin ? this.#begunId : this.#writtenId)
    // The same epoch: the page enters the back/forward cache, and the session may continue when it returns.
    if (!isKept && this.#scope?.epoch === scope.epoch) this.saveBeforeEnd()
    this.#discardUnsaved()
    this.#isStored = !isKept || !this.#version.peek().id
    this.#scope = scope
    this.#restoredScope = undefined
    this.#deps.identity.discardEndedDraft()
    updateState(() => {
      if (!isKept) {
        this.#prefilled = { text: '', before: '' }
        this.#version.value = emptyDraft
        this.#isTruncated.value = false
      }
      this.#savedVersion.value = emptyDraft
    })
  }

  /** Shows the stored draft, once it is known whose session it is, followed by what has been written meanwhile. */
  restoreFromCache(scope: SessionScope, stored: DraftVersion): void {
    const { createMessageId, identity } = this.#deps
    this.#scope = this.#restoredScope = scope
    const own = this.#version.peek()
    const unsaved = identity.takeUnsavedDraft(scope.epoch)
    // If the tab was hidden meanwhile, `unsaved` is an earlier version of `own`.
    const known = unsaved && unsaved.id !== own.id ? joinDrafts(stored, unsaved, createMessageId) : stored
    // A page may prefill the same text on every load.
    const isRepeated = own.text && own.text === this.#prefilled.text && hasLines(known.text, own.text)
    const version = isRepeated ? known : joinDrafts(known, own, createMessageId)
    this.#noticeRemoteEdit(version)
    if (own.text && !known.finishedIds.includes(own.id)) this.#writtenId = version.id
    const isStored = !unsaved && !own.id
    const text = truncate(version.text)
    updateState(() => {
      this.#version.value = { ...version, text }
      this.#isTruncated.value ||= text !== version.text
      if (isStored) this.#savedVersion.value = this.#version.peek()
    })
    if (isStored) return
    this.#hasUnsaved = true
    this.#isStored = false
    this.save()
  }

  #saveSoon(): void {
    if (this.#hasUnsaved) return
    this.#hasUnsaved = true
    this.#cancelTimer = this.#deps.clock.setTimeout(() => this.save(), saveMs)
  }

  #discardUnsaved(): void {
    this.#hasUnsaved = false
    this.#cancelTimer()
  }
}

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
