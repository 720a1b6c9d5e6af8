import type { JSX } from 'preact'
import { interpolate } from '../interpolate.ts'
import { LiveText } from '../LiveText.tsx'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { DraftFile } from './DraftFile.tsx'
import { problemText } from './problemText.ts'

/** The files in the composer. */
export function DraftFiles(): JSX.Element {
  const model = useWidget().conversation.attachments.model.value
  const strings = useStrings()
  const files = model?.draft.value ?? []
  const refusalTexts = { folder: strings.noFolders, tooMany: strings.tooManyFiles }
  const refusalText = model?.refusals.value.map(refusal => refusalTexts[refusal]).join(' ')
  const ended = model?.ended.value
  const problem = ended?.state.kind === 'failed' && problemText(ended.state.problem, strings)
  return (
    <>
      {files.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari drops the role of a list without markers.
        <ul class="drafts" role="list" aria-label={strings.attachments}>
          {files.map(file => (
            <DraftFile key={file.id} file={file} />
          ))}
        </ul>
      )}
      {refusalText && (
        <p class="count">
          <b key={refusalText}>{refusalText}</b>
        </p>
      )}
      {/* Always rendered: screen readers announce changes of a live region, but not a region that is added with its text. */}
      <p class="aloud" role="status">
        <LiveText text={ended?.state.kind === 'uploaded' && interpolate(strings.fileReady, ended.file.name)} />
      </p>
      <p class="aloud" role="alert">
        <LiveText
          text={[ended && problem && `${ended.file.name}: ${problem}`, refusalText].filter(Boolean).join(' ')}
        />
      </p>
    </>
  )
}
