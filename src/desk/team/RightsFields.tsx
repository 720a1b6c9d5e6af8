import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { TeamMember } from '../../contract/desk.ts'
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
          <label key={each} class="check">
            <input
              type="radio"
              name="role"
              checked={role === each}
              onChange={() => set({ role: each, botIds: null })}
            />
            <span>
              {texts.roles[each]}
              <span class="meta">{texts.roleHints[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {role === 'agent' && current.bots.length > 1 && (
        <fieldset class="choices">
          <legend>{texts.bots}</legend>
          <label class="check">
            <input
              type="checkbox"
              checked={botIds === null}
              onChange={({ currentTarget }) => set({ botIds: currentTarget.checked ? null : [] })}
            />
            {texts.allBots}
          </label>
          {botIds &&
            current.bots.map(({ id, name }) => (
              <label key={id} class="check">
                <input
                  type="checkbox"
                  checked={botIds.includes(id)}
                  onChange={({ currentTarget }) => {
                    const others = botIds.filter(each => each !== id)
                    set({ botIds: currentTarget.checked ? [...others, id] : others })
                  }}
                />
                <bdi>{name}</bdi>
              </label>
            ))}
        </fieldset>
      )}
    </>
  )
}
