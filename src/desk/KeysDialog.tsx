import type { JSX } from 'preact'
import { Check } from './Check.tsx'
import { useDesk } from './DeskContext.ts'
import { Dialog } from './Dialog.tsx'
import { modKey } from './keys.ts'

/** The list of keys. */
export function KeysDialog({ onClose }: { onClose(): void }): JSX.Element {
  const { keys, strings } = useDesk()
  const { app, conversation, keys: texts } = strings
  const list: [keys: string[], text: string][] = [
    [['J'], texts.next],
    [['K'], texts.previous],
    [['Enter'], texts.open],
    [['R'], conversation.reply],
    [['N'], texts.note],
    [['A'], conversation.claim],
    [['H'], texts.handBack],
    [['E'], texts.closeNext],
    [[modKey, 'Enter'], conversation.send],
    [['Esc'], conversation.back],
    [['/'], texts.search],
    [['?'], texts.list],
  ]
  return (
    <Dialog title={app.keys} closedBy="any" onClose={onClose}>
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
      <Check
        checked={keys.areLettersOn.value}
        onChange={({ currentTarget }) => keys.setLettersOn(currentTarget.checked)}
      >
        {texts.lettersOn}
      </Check>
    </Dialog>
  )
}
