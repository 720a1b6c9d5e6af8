import type { JSX } from 'preact'
import { weekdays } from '../../contract/weekdays.ts'
import { useDesk } from '../DeskContext.ts'
import { Field, FieldError } from '../Field.tsx'
import type { BotForm } from './botForm.ts'

/** The opening hours of a bot: a time zone, one time for each day of the week, and holidays. */
export function HoursFields({ form }: { form: BotForm }): JSX.Element {
  const { format, strings } = useDesk()
  const { fields, hints, ...texts } = strings.bots
  const errors = form.errors.value
  const read = (name: string) => String(form.values.value[name])
  const timeZone = read('hours/timeZone')
  return (
    <fieldset class="choices">
      <legend>{texts.hours}</legend>
      <p class="meta">{texts.hoursHint}</p>
      {weekdays.map((day, index) => {
        const name = `hours/week/${day}`
        const times = read(name).split('-')
        const weekday = format.weekday(index)
        const refused = [name, 'hours/week'].find(field => errors[field])
        const input = (position: 0 | 1, label: string) => (
          <input
            type="time"
            aria-label={`${weekday}, ${label}`}
            aria-invalid={refused ? true : undefined}
            aria-describedby={refused && `${refused}-error`}
            value={times[position] ?? ''}
            onInput={({ currentTarget }) => {
              const changed = [times[0] ?? '', times[1] ?? ''].with(position, currentTarget.value).join('-')
              form.set(name, changed === '-' ? '' : changed)
            }}
          />
        )
        return (
          <div key={day} class="field day">
            <span>{weekday}</span>
            {input(0, texts.from)}–{input(1, texts.until)}
            <FieldError name={name} error={errors[name]} />
          </div>
        )
      })}
      <FieldError name="hours/week" error={errors['hours/week']} />
      <Field
        name="hours/timeZone"
        label={fields['hours/timeZone']}
        error={errors['hours/timeZone']}
        options={[...new Set([timeZone, ...Intl.supportedValuesOf('timeZone')])]}
        value={timeZone}
        onInput={({ currentTarget }) => form.set('hours/timeZone', currentTarget.value)}
      />
      <Field
        name="hours/holidays"
        label={fields['hours/holidays']}
        hint={hints['hours/holidays']}
        error={errors['hours/holidays']}
        rows={3}
        dir="ltr"
        autocomplete="off"
        value={read('hours/holidays')}
        onInput={({ currentTarget }) => form.set('hours/holidays', currentTarget.value)}
      />
    </fieldset>
  )
}
