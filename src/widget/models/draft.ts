import { computed, type ReadonlySignal, signal } from '@preact/signals-core'
import { type DraftVersion, emptyDraft } from '../storage/guards.ts'
import type { IdentityStore } from '../storage/identityStore.ts'
import { editDraft, finishDraft, mergeDrafts } from './mergeDrafts.ts'
import { cacheScopeOf, type Deps, type KeepOptions, type SessionScope } from './session/sessionScope.ts'
import { updateState } from './updateState.ts'

/** The text in the composer. It belongs to the person, survives closing and reload, and goes with the session. */
export interface DraftModel {
  readonly text: ReadonlySignal<string>
  /** In UTF-16 code units. */
  readonly maxLength: number
  /** The last text was longer than that and has been cut. */
  readonly isTruncated: ReadonlySignal<boolean>
  setText(text: string): void
}

/** In UTF-16 code units: five times a message, and still quick to lay out at each keystroke. */
export const maxDraftLength = 20_000

/** A tab that dies loses no more than what was typed in this time. */
const saveMs = 300

export interface DraftDeps extends Pick<Deps, 'cache' | 'clock' | 'page' | 'abortSignal'> {
  createMessageId(): string
  identity: Pick<IdentityStore, 'keepUnsavedDraft' | 'takeUnsavedDraft'>
}

export class Draft implements DraftModel {
  readonly #deps: DraftDeps
  readonly #version = signal(emptyDraft)
  readonly #savedVersion = signal(emptyDraft)
  readonly #isTruncated = signal(false)
  #scope: SessionScope | undefined
  /** Where to save; nowhere before it is certain whose draft it is. */
  #cacheScope: SessionScope | undefined
  /** Something has changed, and `save()` will be called. */
  #hasUnsaved = false
  /** The draft that was last written in this page. What has come from other tabs goes with the session. */
  #writtenId = ''
  /** The draft that was begun in this page, and is no former visitor's. */
  #begunId = ''
  /** The database has the last version. `save()` only begins that. */
  #isStored = true
  #cancelTimer = () => {}

  readonly text: ReadonlySignal<string> = computed(() => this.#version.value.text)
  readonly maxLength: number = maxDraftLength
  readonly isTruncated: ReadonlySignal<boolean> = this.#isTruncated
  /** The last version that this tab has saved. Other tabs are told of it. */
  readonly savedVersion: ReadonlySignal<DraftVersion> = this.#savedVersion

  constructor(deps: DraftDeps) {
    this.#deps = deps
    const { page, abortSignal } = deps
    const stops = [page.on('visibilitychange', () => this.save()), page.on('pagehide', () => this.#keep())]
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

  /** Empties the draft because its text has been sent. The caller saves what is returned, together with the message. */
  finish(): DraftVersion {
    this.#discardUnsaved()
    this.#isStored = true
    updateState(() => {
      this.#isTruncated.value = false
      this.#version.value = finishDraft(this.#version.peek())
      this.#savedVersion.value = this.#version.peek()
    })
    return this.#version.peek()
  }

  /** Saves what has been typed since the last time, at once. */
  save(): void {
    const cacheScope = this.#cacheScope
    if (!this.#hasUnsaved || !cacheScope) return
    this.#discardUnsaved()
    const own = this.#version.peek()
    updateState(() => {
      this.#savedVersion.value = own
    })
    const put = this.#deps.cache.putDraft(cacheScope.epoch, stored => {
      const isOutdated = stored.finishedIds.includes(own.id) || (stored.id === own.id && stored.revision > own.revision)
      // This tab was frozen when another one sent or edited the draft.
      if (isOutdated && this.#cacheScope === cacheScope) this.applyRemote(stored)
      return mergeDrafts(stored, own)
    })
    void put.then(() => {
      if (this.#version.peek() === own) this.#isStored = true
    })
  }

  /**
   * The page goes, and may be gone before what is being saved has been. A transaction begun now would also keep the page
   * out of the back/forward cache.
   */
  #keep(): void {
    const own = this.#version.peek()
    if (this.#isStored || !this.#scope) return
    if (!this.#deps.identity.keepUnsavedDraft(this.#scope.epoch, own)) {
      this.save()
      return
    }
    this.#discardUnsaved()
    updateState(() => {
      this.#savedVersion.value = own
    })
  }

  /** What this tab would tell another one. */
  currentVersion(): DraftVersion {
    return this.#version.peek()
  }

  /** Takes over what another tab has saved. Returns what remains of it and of the own text. */
  applyRemote(incoming: DraftVersion): DraftVersion {
    const merged = mergeDrafts(this.#version.peek(), incoming)
    updateState(() => {
      this.#version.value = merged
    })
    return merged
  }

  /** Another session: the text goes, unless the page's own unsent text is to go on in the next one. */
  reset(scope: SessionScope, { keepUnsent, isLogin }: KeepOptions = { keepUnsent: false }): void {
    // The page goes into the back/forward cache; the session may go on when it returns.
    if (this.#scope?.epoch === scope.epoch) this.save()
    this.#discardUnsaved()
    const isKept = keepUnsent && this.#version.peek().id === (isLogin ? this.#begunId : this.#writtenId)
    this.#isStored = !isKept
    this.#scope = scope
    this.#cacheScope = cacheScopeOf(scope)
    updateState(() => {
      if (!isKept) {
        this.#version.value = emptyDraft
        this.#isTruncated.value = false
      }
      this.#savedVersion.value = emptyDraft
    })
  }

  /** It is certain whose draft it is, and `stored` is theirs. */
  restoreFromCache(scope: SessionScope, stored: DraftVersion): void {
    this.#scope = this.#cacheScope = scope
    const unsaved = this.#deps.identity.takeUnsavedDraft(scope.epoch)
    const isTyping = this.text.peek() !== ''
    updateState(() => {
      // What has been typed in the meantime is newer.
      if (!isTyping) this.#version.value = unsaved ? mergeDrafts(stored, unsaved) : stored
      if (!isTyping && !unsaved) this.#savedVersion.value = stored
    })
    if (!isTyping && !unsaved) return
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

/** Cuts at the limit, but never through a surrogate pair. */
function truncate(text: string): string {
  if (text.length <= maxDraftLength) return text
  return text.slice(0, maxDraftLength).replace(/[\ud800-\udbff]$/, '')
}
