import type { JSX } from 'preact'
import { Check } from '../Check.tsx'
import { useDesk } from '../DeskContext.ts'
import type { AlertChoices } from './alertSettings.ts'

/** What the member wants to hear and see when somebody waits. */
export function AlertSettings(): JSX.Element {
  const { alerts, strings } = useDesk()
  const choices = alerts.settings.choices.value
  const choice = (name: keyof AlertChoices) => (
    <Check
      checked={choices[name]}
      onChange={async ({ currentTarget }) => {
        await alerts.settings.choose(name, currentTarget.checked)
        // The browser may have refused it.
        currentTarget.checked = alerts.settings.choices.peek()[name]
      }}
    >
      {strings.alerts[name]}
    </Check>
  )
  return (
    <fieldset class="choices">
      <legend>{strings.alerts.title}</legend>
      {choice('sound')}
      {'Notification' in window && choice('notifications')}
      {choices.notifications && choice('texts')}
    </fieldset>
  )
}
