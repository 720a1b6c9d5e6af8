import { computed, effect, signal } from '@preact/signals-core'
import { closePath } from '../styles/closePath.ts'
import { createAnnouncer } from './announcer.ts'
import type { LauncherParts, NotificationsDeps } from './deps.ts'
import { toPlainText } from './toPlainText.ts'

/**
 * Shows the newest unread message in a card above the launcher while the chat is closed, and makes screen readers announce
 * it. A click opens the chat. No message is shown twice, nor while the page is hidden. Returns a function that removes it.
 */
export function showMessagePreview({ root, layer, button }: LauncherParts, deps: NotificationsDeps): () => void {
  const { clock, page, abortSignal, isViewHidden, isPanelOpen, strings } = deps
  const { botProfile, messageStore, readState } = deps.conversation
  const { card, speech, avatar, name, text, dismiss } = createCard(layer)
  // Outside the card, because screen readers announce only changes of what is not hidden.
  const announcer = createAnnouncer(layer, clock)

  /** The newest unread message; `undefined` while it must not be shown. */
  const newestUnread = computed(() => {
    // The session ends before the preview does. Without it nothing is hidden any more.
    if (isViewHidden.value || abortSignal.aborted) return undefined
    const newest = messageStore.messages.value.findLast(
      ({ author, event, removedAt }) => author !== 'visitor' && !event && !removedAt,
    )
    return newest && newest.seq > readState.readSeq.value ? newest : undefined
  })
  // Unless the chat has been opened, nobody has asked for the bot's name.
  void botProfile.load()
  const { profile } = botProfile

  let consideredId = ''
  const claimedId = signal('')
  const message = computed(() => {
    const newest = isPanelOpen.value ? undefined : newestUnread.value
    return newest?.id === claimedId.value ? newest : undefined
  })

  async function consider(): Promise<void> {
    const newest = newestUnread.peek()
    if (!newest || newest.id === consideredId || isPanelOpen.peek() || page.isHidden()) return
    consideredId = newest.id
    if ((await messageStore.claim('previewedId', newest)) && newest.id === consideredId) claimedId.value = newest.id
  }

  const stops = [
    page.on('visibilitychange', () => void consider()),
    effect(() => {
      newestUnread.value
      if (isPanelOpen.value) claimedId.value = ''
      else void consider()
    }),
    effect(() => {
      const shown = message.value
      const sender = shown?.sender ?? (shown?.author === 'bot' ? profile.value : undefined)
      const senderName = sender?.name ?? (shown?.author === 'agent' ? strings.value.agent : strings.value.chat)
      const preview = shown ? toPlainText(shown) : ''
      const { lang, dir } = strings.value
      card.hidden = !shown
      name.textContent = shown ? senderName : ''
      text.textContent = preview
      showAvatar(avatar, shown && senderName, sender?.avatar)
      speech.lang = lang
      text.lang = (shown?.author !== 'agent' && profile.value?.locale) || lang
      speech.dir = dir
      dismiss.setAttribute('aria-label', strings.value.dismiss)
      announcer.announce(shown ? `${senderName}: ${preview}` : '', text.lang)
    }),
  ]
  /** What had the focus before the card. */
  let focusedBefore: HTMLElement | null = null
  card.addEventListener('focusin', ({ relatedTarget }) => {
    if (!card.contains(relatedTarget as Node | null)) focusedBefore = relatedTarget as HTMLElement | null
  })
  const hide = () => {
    const hadFocus = card.contains(root.activeElement)
    claimedId.value = ''
    // The card disappears, and with it its focus. Where the site's launcher has replaced ours, the focus goes back to where
    // it was.
    if (hadFocus) (button.isConnected ? button : focusedBefore)?.focus()
    // Otherwise an element that the page removes would stay in memory.
    focusedBefore = null
  }
  card.onkeydown = event => {
    if (event.key !== 'Escape') return
    // Otherwise the browser would also close a popover of the page.
    event.preventDefault()
    hide()
  }
  card.onclick = ({ target }) => {
    hide()
    if (!dismiss.contains(target as Node)) button.click()
  }
  return () => {
    for (const stop of stops) stop()
    announcer.end()
    card.remove()
  }
}

function createCard(layer: HTMLElement) {
  const card = append(layer, 'div', 'preview')
  card.hidden = true
  card.setAttribute('part', 'preview')
  // Not on the card, because the page's direction decides in which corner it is.
  const speech = append(card, 'div', 'speech')
  const open = append(speech, 'button', 'message')
  const avatar = append(open, 'span', 'face')
  avatar.ariaHidden = 'true'
  const words = append(open, 'span', 'words')
  const name = append(words, 'b')
  const text = append(words, 'span', 'text')
  name.dir = text.dir = 'auto'
  const dismiss = append(speech, 'button', 'dismiss')
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', closePath)
  svg.append(path)
  dismiss.append(svg)
  return { card, speech, avatar, name, text, dismiss }
}

function append<Name extends 'div' | 'span' | 'b' | 'button' | 'img'>(
  parent: HTMLElement,
  tag: Name,
  className = '',
): HTMLElementTagNameMap[Name] {
  const element = parent.appendChild(document.createElement(tag))
  element.className = className
  return element
}

/** Shows the picture, and the initial of the name until it has loaded or if that fails. */
function showAvatar(avatar: HTMLElement, name: string | undefined, url: string | undefined): void {
  const [initial = ''] = name ?? ''
  avatar.textContent = initial
  if (!name || !url) return
  const image = append(avatar, 'img')
  image.alt = ''
  image.referrerPolicy = 'no-referrer'
  image.onerror = () => avatar.removeChild(image)
  image.src = url
}
