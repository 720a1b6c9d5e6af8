import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { BotSettings, BotUpdate } from '../../contract/deskBots.ts'
import type { FieldError } from '../../contract/index.ts'
import { weekdays } from '../../contract/weekdays.ts'
import { ApiError } from '../ApiError.ts'
import type { Api } from '../api.ts'

/** By their fields. A list has an entry a line; `texts/hello` is the text `hello`, `hours/week/mon` the hours of Monday. */
export type BotValues = Record<string, string | boolean>

/** The settings of a bot in a form. */
export interface BotForm {
  readonly saved: ReadonlySignal<BotSettings>
  readonly values: ReadonlySignal<BotValues>
  readonly isChanged: ReadonlySignal<boolean>
  /** Why the platform has refused the values, by their fields. */
  readonly errors: ReadonlySignal<Record<string, string>>
  readonly isSaving: ReadonlySignal<boolean>
  /** What has become of the last saving, until something is changed. */
  readonly status: ReadonlySignal<'idle' | 'saved' | 'refused' | 'failed'>
  set(field: string, value: string | boolean): void
  /** Saves what was changed, and nothing else: others may have changed the rest. */
  save(): Promise<void>
}

export function createBotForm(api: Pick<Api, 'patch'>, loaded: BotSettings): BotForm {
  const saved = signal(loaded)
  const changes = signal<BotValues>({})
  const errors = signal<Record<string, string>>({})
  const isSaving = signal(false)
  const status = signal<'idle' | 'saved' | 'refused' | 'failed'>('idle')
  const savedValues = computed(() => toValues(saved.value))
  const values = computed(() => ({ ...savedValues.value, ...changes.value }))
  return {
    saved,
    values,
    errors,
    isSaving,
    status,
    isChanged: computed(() => Object.keys(changes.value).length > 0),
    set(field, value) {
      const { [field]: _, ...others } = changes.value
      changes.value = value === savedValues.value[field] ? others : { ...others, [field]: value }
      const { [field]: __, ...otherErrors } = errors.value
      errors.value = otherErrors
      status.value = 'idle'
    },
    async save() {
      if (isSaving.value) return
      const sent = changes.value
      const update = toUpdate(sent, values.value)
      isSaving.value = true
      status.value = 'idle'
      errors.value = {}
      try {
        saved.value = (await api.patch<'updateBotSettings'>(`/bots/${loaded.id}`, update)).data
        // What was typed meanwhile is not saved yet.
        changes.value = Object.fromEntries(
          Object.entries(changes.value).filter(([field, value]) => value !== sent[field]),
        )
        status.value = 'saved'
      } catch (error) {
        const refused = error instanceof ApiError ? error.errors : []
        errors.value = Object.fromEntries(refused.map(each => toFieldEntry(each, sent)))
        status.value = refused.length > 0 ? 'refused' : 'failed'
      } finally {
        isSaving.value = false
      }
    },
  }
}

const lists = ['quickReplies', 'origins', 'hours/holidays']

function toValues({
  id: _,
  responder: __,
  defaultTexts,
  quickReplies,
  origins,
  texts,
  prompt,
  hours,
  ...rest
}: BotSettings) {
  const replacements: Record<string, string | undefined> = texts
  const ofTexts = Object.keys(defaultTexts).map(key => [`texts/${key}`, replacements[key] ?? ''])
  const listed = { quickReplies: quickReplies.join('\n'), origins: origins.join('\n') }
  const ofHours = {
    'hours/timeZone': hours?.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...Object.fromEntries(weekdays.map(day => [`hours/week/${day}`, hours?.week[day] ?? ''])),
    'hours/holidays': hours?.holidays.join('\n') ?? '',
  }
  return { ...rest, ...listed, ...ofHours, prompt: prompt ?? '', ...Object.fromEntries(ofTexts) } as BotValues
}

function toUpdate(changes: BotValues, values: BotValues): BotUpdate {
  const update: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(changes)) {
    if (field.startsWith('texts/')) update['texts'] = filledIn(values, 'texts/')
    else if (field.startsWith('hours/')) update['hours'] = hoursOf(values)
    else if (lists.includes(field)) update[field] = linesOf(String(value))
    else update[field] = value
  }
  return update
}

/** The fields of a group that are filled in. They are one setting. An empty field stands for the default text, or no hours. */
const filledIn = (values: BotValues, group: string) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) =>
      field.startsWith(group) && `${value}`.trim() !== '' ? [[field.slice(group.length), value]] : [],
    ),
  )

function hoursOf(values: BotValues) {
  const week = filledIn(values, 'hours/week/')
  const holidays = linesOf(String(values['hours/holidays']))
  const isEmpty = Object.keys(week).length + holidays.length === 0
  return isEmpty ? null : { timeZone: values['hours/timeZone'], week, holidays }
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

/** The field of an error, and what it says. That of a list's entry names the entry. */
function toFieldEntry({ pointer, detail }: FieldError, values: BotValues): [string, string] {
  const field = pointer.slice(1)
  const list = lists.find(list => field.startsWith(`${list}/`))
  if (list === undefined) return [field, detail]
  return [list, `${linesOf(String(values[list]))[Number(field.slice(list.length + 1))]}: ${detail}`]
}
