import { type JSX, render } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import panelStyles from '../../widget/styles/panel.css?inline'
import transcriptStyles from '../../widget/styles/transcript.css?inline'
import { setAccent } from '../../widget/ui/accentColors.ts'
import { Avatar } from '../../widget/ui/elements.tsx'
import { useDesk } from '../DeskContext.ts'
import { arrowUpPath, Icon } from '../Icon.tsx'
import { type BotValues, linesOf } from './botForm.ts'
import previewStyles from './preview.css?inline'

/** The widget's empty chat in its own styles, with what is in the form. Nothing in it can be used. */
export function BotPreview({ values }: { values: BotValues }): JSX.Element {
  const { strings } = useDesk()
  const host = useRef<HTMLDivElement>(null)
  const root = () => host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' })
  const accent = String(values['accent'])
  useLayoutEffect(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(panelStyles + transcriptStyles + previewStyles)
    setAccent((sheet.cssRules[0] as CSSStyleRule).style, accent)
    const shadow = root()
    if (shadow) shadow.adoptedStyleSheets = [sheet]
  }, [accent])
  useLayoutEffect(() => {
    const shadow = root()
    if (shadow) render(<Panel values={values} />, shadow)
  }, [values])
  return (
    <figure class="bot-preview">
      <figcaption class="meta">{strings.bots.preview}</figcaption>
      <div ref={host} inert />
    </figure>
  )
}

function Panel({ values }: { values: BotValues }): JSX.Element {
  const { name = '', subtitle, avatar = '', greeting = '', quickReplies = '' } = values
  return (
    <div class="panel">
      <div class="header">
        <Avatar name={String(name)} url={String(avatar)} />
        <div class={subtitle ? 'title' : 'title alone'}>
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <p class="status">
            <bdi>{subtitle}</bdi>
          </p>
        </div>
      </div>
      <div class="log">
        <div class="lines open">
          {linesOf(String(greeting)).map((line, index, lines) => (
            <div
              class={['row', index === 0 && 'first', index === lines.length - 1 && 'last'].filter(Boolean).join(' ')}
            >
              <div class="bubble" dir="auto">
                {line}
              </div>
            </div>
          ))}
          <div class="replies">
            {[...new Set(linesOf(String(quickReplies)))].map(text => (
              <button type="button" key={text} class="reply" dir="auto">
                {text}
              </button>
            ))}
          </div>
        </div>
      </div>
      <form>
        <div class="field">
          <textarea rows={1} readOnly />
        </div>
        <button type="button" class="icon send">
          <Icon path={arrowUpPath} />
        </button>
      </form>
    </div>
  )
}
