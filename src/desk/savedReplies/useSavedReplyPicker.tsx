import { useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import type { SavedReply } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import { fillVariables, findVariable, type VariableValues } from './variables.ts'

interface PickerOptions {
  field: RefObject<HTMLTextAreaElement | null>
  isEnabled: boolean
  values: VariableValues
  setText(text: string): void
}

/** The most saved replies that the list shows. */
const maxShown = 30

/** Offers saved replies after a `/` that begins a word: attributes for the field, and the list above it. */
export function useSavedReplyPicker({ field, isEnabled, values, setText }: PickerOptions) {
  const { savedReplies, strings } = useDesk()
  /** Where the slash stands, and what follows it up to the cursor. */
  const typed = useSignal<{ start: number; filter: string } | null>(null)
  const activeIndex = useSignal(0)

  const filter = typed.value?.filter.toLowerCase()
  const found =
    !isEnabled || filter === undefined
      ? []
      : (savedReplies.data.value ?? []).filter(({ title }) => title.toLowerCase().includes(filter)).slice(0, maxShown)
  const active = found[Math.min(activeIndex.value, found.length - 1)]

  function close() {
    typed.value = null
  }
  function readField({ selectionStart, selectionEnd, value }: HTMLTextAreaElement) {
    const slash = selectionStart === selectionEnd && /(?:^|\s)\/(\S*)$/.exec(value.slice(0, selectionStart))
    if (!slash) return close()
    const [, filter = ''] = slash
    const start = selectionStart - filter.length - 1
    if (typed.peek()?.start !== start) void savedReplies.load()
    typed.value = { start, filter }
    activeIndex.value = 0
  }
  function insert({ text }: SavedReply) {
    const { current } = field
    if (!current || !typed.peek()) return
    const { start } = typed.peek() ?? { start: 0 }
    const filled = fillVariables(text, values)
    current.setRangeText(filled, start, current.selectionStart, 'end')
    setText(current.value)
    close()
    const left = findVariable(filled)
    if (left) current.setSelectionRange(start + left.start, start + left.start + left.variable.length)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (!active || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const index = found.indexOf(active)
    const actions: Partial<Record<string, () => void>> = {
      ArrowDown: () => {
        activeIndex.value = (index + 1) % found.length
      },
      ArrowUp: () => {
        activeIndex.value = (index + found.length - 1) % found.length
      },
      Enter: () => insert(active),
      Escape: close,
    }
    const action = actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  const list: JSX.Element | null = active ? (
    <div id="saved-replies" class="saved-picker" role="listbox" aria-label={strings.saved.title}>
      {found.map((reply, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and its keys.
        // biome-ignore lint/a11y/useFocusableInteractive: as above.
        <div
          key={reply.id}
          id={`saved-reply-${index}`}
          role="option"
          aria-selected={reply === active}
          ref={element => {
            if (reply === active) element?.scrollIntoView({ block: 'nearest' })
          }}
          // The focus stays in the field.
          onMouseDown={event => event.preventDefault()}
          onClick={() => insert(reply)}
        >
          <b dir="auto">{reply.title}</b>
          <span class="row-text" dir="auto">
            {reply.text}
          </span>
        </div>
      ))}
    </div>
  ) : null
  return {
    list,
    readField,
    fieldProps: {
      onKeyDown,
      onBlur: close,
      // Keys and clicks move the cursor.
      onSelect: ({ currentTarget }: { currentTarget: HTMLTextAreaElement }) => typed.peek() && readField(currentTarget),
      'aria-autocomplete': 'list' as const,
      'aria-haspopup': 'listbox' as const,
      'aria-controls': active ? 'saved-replies' : undefined,
      'aria-activedescendant': active ? `saved-reply-${found.indexOf(active)}` : undefined,
    },
  }
}
