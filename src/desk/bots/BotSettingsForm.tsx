import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { BotSettings } from '../../contract/deskBots.ts'
import { scriptTag } from '../../contract/scriptTag.ts'
import { Check } from '../Check.tsx'
import { CopyField } from '../CopyField.tsx'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { Field, type FieldProps } from '../Field.tsx'
import { BotPreview } from './BotPreview.tsx'
import { createBotForm } from './botForm.ts'
import { HoursFields } from './HoursFields.tsx'

export function BotSettingsForm({ settings }: { settings: BotSettings }): JSX.Element {
  const { api, format, router, strings } = useDesk()
  const texts = strings.bots
  const [form] = useState(() => createBotForm(api, settings))
  const element = useRef<HTMLFormElement>(null)
  const leave = useSignal<(() => void) | null>(null)
  const isChanged = form.isChanged.value
  const errors = form.errors.value
  const { responder, prompt, defaultTexts } = form.saved.value

  useLayoutEffect(() => {
    if (!isChanged) return
    const stopAsking = router.confirmLeave(go => {
      leave.value = go
    })
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => {
      stopAsking()
      removeEventListener('beforeunload', ask)
    }
  }, [isChanged])
  useEffect(() => {
    if (form.status.value === 'refused') element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [form.status.value])

  const labels: Record<string, string> = texts.fields
  const hints: Record<string, string> = texts.hints
  const field = (name: string, props: Partial<FieldProps> = {}) => (
    <Field
      key={name}
      name={name}
      label={labels[name] ?? name}
      hint={hints[name]}
      error={errors[name]}
      value={String(form.values.value[name])}
      autocomplete="off"
      dir="auto"
      onInput={({ currentTarget }) => form.set(name, currentTarget.value)}
      {...props}
    />
  )
  return (
    <>
      <form
        ref={element}
        class="bot-form"
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void form.save()
        }}
      >
        <div>
          <fieldset class="choices">
            <legend>{texts.appearance}</legend>
            {field('name')}
            {field('subtitle')}
            {field('avatar', { dir: 'ltr' })}
            {field('accent', { placeholder: '#3b5bdb', dir: 'ltr' })}
          </fieldset>
          <fieldset class="choices">
            <legend>{texts.opening}</legend>
            {field('greeting', { rows: 3 })}
            {field('quickReplies', { rows: 3 })}
          </fieldset>
          <fieldset class="choices">
            <legend>{texts.where}</legend>
            {field('origins', { rows: 3, dir: 'ltr' })}
            <CopyField name="script-tag" label={texts.tag} value={scriptTag(location.origin, form.saved.value)} />
          </fieldset>
          <fieldset class="choices">
            <legend>{texts.answers}</legend>
            <p>{texts.responders[responder]}</p>
            {prompt !== null && field('prompt', { rows: 8 })}
            {['handover', 'ratings', 'attachments', 'eraseByVisitor', 'images'].map(name => (
              <Check
                key={name}
                checked={form.values.value[name] === true}
                onChange={({ currentTarget }) => form.set(name, currentTarget.checked)}
              >
                {labels[name]}
              </Check>
            ))}
          </fieldset>
          <HoursFields form={form} />
          <details open={Object.keys(errors).some(field => field.startsWith('texts/'))}>
            <summary>{texts.ownTexts}</summary>
            <p class="meta">{texts.ownTextsHint}</p>
            {Object.entries(defaultTexts).map(([key, text]) => field(`texts/${key}`, { rows: 2, placeholder: text }))}
          </details>
        </div>
        <BotPreview values={form.values.value} />
        <div class="bot-save">
          <p role="status">{form.status.value === 'saved' && texts.saved}</p>
          <p class="failure" role="alert">
            {form.status.value === 'failed' && texts.saveFailed}
            {form.status.value === 'refused' && format.count(texts.refused, Object.keys(errors).length)}
          </p>
          <button type="submit" class="button primary" disabled={!isChanged} aria-busy={form.isSaving.value}>
            {strings.app.save}
          </button>
        </div>
      </form>
      {leave.value && (
        <ConfirmDialog
          title={texts.leaveAsk}
          hint={texts.leaveHint}
          confirm={texts.leave}
          onConfirm={leave.value}
          onClose={() => {
            leave.value = null
          }}
        />
      )}
    </>
  )
}
