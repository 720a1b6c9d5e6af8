import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useDesk } from './DeskContext.ts'

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** The list of keys. */
export function KeysDialog({ onClose }: { onClose(): void }): JSX.Element {
  const { keys, strings } = useDesk()
  const texts = strings.keys
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const list: [keys: string[], text: string][] = [
    [['J'], texts.next],
    [['K'], texts.previous],
    [['Enter'], texts.open],
    [['R'], texts.reply],
    [['N'], texts.note],
    [['A'], texts.claim],
    [['H'], texts.handBack],
    [['E'], texts.closeNext],
    [[isApple ? '⌘' : 'Ctrl', 'Enter'], texts.send],
    [['Esc'], texts.escape],
    [['?'], texts.list],
  ]
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">{texts.title}</h2>
      <dl class="keys">
        {list.map(([names, text]) => (
          <div key={text}>
            <dt>{text}</dt>
            <dd>
              {names.map(name => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={keys.areLettersOn.value}
          onChange={({ currentTarget }) => keys.setLettersOn(currentTarget.checked)}
        />
        {texts.lettersOn}
      </label>
      <form method="dialog">
        <button type="submit" class="button">
          {texts.close}
        </button>
      </form>
    </dialog>
  )
}
