import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { TeamMember } from '../../contract/desk.ts'
import { Check } from '../Check.tsx'
import { useDesk } from '../DeskContext.ts'

export type Rights = Pick<TeamMember, 'role' | 'botIds'>

/** What somebody of the team may do. Agents may be limited to some bots. */
export function RightsFields({ rights }: { rights: Signal<Rights> }): JSX.Element {
  const { current, strings } = useDesk()
  const texts = strings.team
  const { role, botIds } = rights.value
  const set = (changed: Partial<Rights>) => {
    rights.value = { ...rights.value, ...changed }
  }
  return (
    <>
      <fieldset class="choices">
        <legend>{texts.role}</legend>
        {(['agent', 'admin'] as const).map(each => (
          <Check
            key={each}
            type="radio"
            name="role"
            checked={role === each}
            hint={texts.roleHints[each]}
            onChange={() => set({ role: each, botIds: null })}
          >
            {texts.roles[each]}
          </Check>
        ))}
      </fieldset>
      {role === 'agent' && current.bots.length > 1 && (
        <fieldset class="choices">
          <legend>{texts.bots}</legend>
          <Check
            checked={botIds === null}
            onChange={({ currentTarget }) => set({ botIds: currentTarget.checked ? null : [] })}
          >
            {texts.allBots}
          </Check>
          {botIds &&
            current.bots.map(({ id, name }) => (
              <Check
                key={id}
                checked={botIds.includes(id)}
                onChange={({ currentTarget }) => {
                  const others = botIds.filter(each => each !== id)
                  set({ botIds: currentTarget.checked ? [...others, id] : others })
                }}
              >
                <bdi>{name}</bdi>
              </Check>
            ))}
        </fieldset>
      )}
    </>
  )
}
