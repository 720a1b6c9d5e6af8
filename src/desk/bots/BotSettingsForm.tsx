import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { BotSettings } from '../../contract/deskBots.ts'
import { scriptTag } from '../../contract/scriptTag.ts'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { BotPreview } from './BotPreview.tsx'
import { createBotForm } from './botForm.ts'
import { Check, TextField } from './fields.tsx'

export function BotSettingsForm({ settings }: { settings: BotSettings }): JSX.Element {
  const { api, format, router, strings } = useDesk()
  const texts = strings.bots
  const [form] = useState(() => createBotForm(api, settings))
  const element = useRef<HTMLFormElement>(null)
  const leave = useSignal<(() => void) | null>(null)
  const isCopied = useSignal(false)
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

  const tag = scriptTag(location.origin, form.saved.value)
  const copy = async () => {
    await navigator.clipboard.writeText(tag)
    isCopied.value = true
  }
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
            <TextField form={form} field="name" />
            <TextField form={form} field="subtitle" />
            <TextField form={form} field="avatar" input={{ dir: 'ltr' }} />
            <TextField form={form} field="accent" input={{ placeholder: '#3b5bdb', dir: 'ltr' }} />
          </fieldset>
          <fieldset class="choices">
            <legend>{texts.opening}</legend>
            <TextField form={form} field="greeting" rows={3} />
            <TextField form={form} field="quickReplies" rows={3} />
          </fieldset>
          <fieldset class="choices">
            <legend>{texts.where}</legend>
            <TextField form={form} field="origins" rows={3} input={{ dir: 'ltr' }} />
            <label for="script-tag">{texts.tag}</label>
            <div class="script-tag">
              <input id="script-tag" value={tag} readOnly dir="ltr" onFocus={event => event.currentTarget.select()} />
              <button type="button" class="button" onClick={() => copy().catch(() => {})}>
                {isCopied.value ? strings.app.copied : strings.app.copy}
              </button>
            </div>
          </fieldset>
          <fieldset class="choices">
            <legend>{texts.answers}</legend>
            <p>{texts.responders[responder]}</p>
            {prompt !== null && <TextField form={form} field="prompt" rows={8} />}
            {(['handover', 'ratings', 'attachments', 'images'] as const).map(field => (
              <Check key={field} form={form} field={field} />
            ))}
          </fieldset>
          <details open={Object.keys(errors).some(field => field.startsWith('texts/'))}>
            <summary>{texts.ownTexts}</summary>
            <p class="meta">{texts.ownTextsHint}</p>
            {Object.entries(defaultTexts).map(([key, text]) => (
              <TextField key={key} form={form} field={`texts/${key}`} rows={2} input={{ placeholder: text }} />
            ))}
          </details>
        </div>
        <BotPreview values={form.values.value} />
        <div class="bot-save">
          <p role="status">{form.status.value === 'saved' && texts.saved}</p>
          <p class="failure" role="alert">
            {form.status.value === 'failed' && texts.saveFailed}
            {form.status.value === 'refused' && format.count(texts.refused, Object.keys(errors).length)}
          </p>
          <button type="submit" class="button primary" disabled={!isChanged} aria-busy={form.status.value === 'saving'}>
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
