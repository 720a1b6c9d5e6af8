import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { BotSettings, BotUpdate } from '../../contract/deskBots.ts'
import type { FieldError } from '../../contract/index.ts'
import { ApiError } from '../ApiError.ts'
import type { Api } from '../api.ts'

/** By their fields. A list has an entry a line; `texts/hello` is the text `hello`. */
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
        errors.value = Object.fromEntries(refused.map(each => toFieldEntry(each, update)))
        status.value = refused.length > 0 ? 'refused' : 'failed'
      } finally {
        isSaving.value = false
      }
    },
  }
}

const lists = ['quickReplies', 'origins'] as const
const isList = (field: string): field is (typeof lists)[number] => lists.some(list => list === field)

function toValues({ id: _, responder: __, defaultTexts, quickReplies, origins, texts, prompt, ...rest }: BotSettings) {
  const replacements: Record<string, string | undefined> = texts
  const ofTexts = Object.keys(defaultTexts).map(key => [`texts/${key}`, replacements[key] ?? ''])
  const listed = { quickReplies: quickReplies.join('\n'), origins: origins.join('\n') }
  return { ...rest, ...listed, prompt: prompt ?? '', ...Object.fromEntries(ofTexts) } as BotValues
}

function toUpdate(changes: BotValues, values: BotValues): BotUpdate {
  const update: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(changes)) {
    if (isList(field)) update[field] = linesOf(String(value))
    else if (field.startsWith('texts/')) update['texts'] = textsOf(values)
    else update[field] = value
  }
  return update
}

/** All replacements, which are one setting. An empty field stands for the default text. */
const textsOf = (values: BotValues) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) =>
      field.startsWith('texts/') && `${value}`.trim() !== '' ? [[field.slice('texts/'.length), value]] : [],
    ),
  )

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)

/** The field of an error, and what it says. That of a list's entry names the entry. */
function toFieldEntry({ pointer, detail }: FieldError, update: BotUpdate): [string, string] {
  const field = pointer.slice(1)
  const [list = '', index] = field.split('/')
  return isList(list) && index !== undefined ? [list, `${update[list]?.[Number(index)]}: ${detail}`] : [field, detail]
}
