import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Check } from './Check.tsx'
import { useDesk } from './DeskContext.ts'
import { Dialog } from './Dialog.tsx'
import { Field } from './Field.tsx'
import { modKey } from './keys.ts'

interface CommandsDialogProps {
  /** The pages that the member may see. */
  pages: { href: string; label: string }[]
  onClose(): void
}

/** The keys and what they do, which can also be found and chosen by name. */
export function CommandsDialog({ pages, onClose }: CommandsDialogProps): JSX.Element {
  const { keys, router, strings } = useDesk()
  const { app, conversation, keys: texts } = strings
  const typed = useSignal('')
  const commands: [bindingOrPage: string, keys: string[], text: string][] = [
    ['j', ['J'], texts.next],
    ['k', ['K'], texts.previous],
    ['', ['Enter'], texts.open],
    ['r', ['R'], conversation.reply],
    ['n', ['N'], texts.note],
    ['a', ['A'], conversation.claim],
    ['h', ['H'], texts.handBack],
    ['e', ['E'], texts.closeNext],
    ['Mod+Enter', [modKey, 'Enter'], conversation.send],
    ['Escape', ['Esc'], conversation.back],
    ['/', ['/'], texts.search],
    ['', ['?', `${modKey} K`], texts.list],
    ...pages.map(({ href, label }): [string, string[], string] => [href, [], label]),
  ]
  const isPage = (chosen: string) => pages.some(({ href }) => href === chosen)
  const found = commands.filter(([, , text]) => text.toLowerCase().includes(typed.value.toLowerCase()))
  return (
    <Dialog
      title={app.keys}
      closedBy="any"
      onClose={chosen => {
        onClose()
        if (isPage(chosen)) router.go(chosen)
        else keys.run(chosen)
      }}
    >
      <form method="dialog">
        <Field
          name="command"
          label={texts.find}
          autocomplete="off"
          autofocus
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value
          }}
        />
        <ul class="keys">
          {found.map(([chosen, names, text]) => (
            <li key={names.join() + chosen}>
              {/* Enter in the field chooses the first. */}
              <button type="submit" value={chosen} disabled={!isPage(chosen) && !keys.isBound(chosen)}>
                {text}
              </button>
              {names.map(name => (
                <kbd key={name}>{name}</kbd>
              ))}
            </li>
          ))}
        </ul>
      </form>
      <Check
        checked={keys.areLettersOn.value}
        onChange={({ currentTarget }) => keys.setLettersOn(currentTarget.checked)}
      >
        {texts.lettersOn}
      </Check>
    </Dialog>
  )
}
