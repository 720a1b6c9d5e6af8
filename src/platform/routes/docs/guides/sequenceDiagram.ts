import { type Html, html } from '../html.ts'

interface Step {
  /** The columns of the sender and the receiver, from 0; both ends of a note. */
  from: number
  to: number
  text: string
  kind: 'message' | 'reply' | 'note'
}

interface Loop {
  title: string
  steps: (Step | Loop)[]
}

/**
 * A Mermaid sequence diagram as a list of steps, which the style sheet draws with lifelines and arrows where there is room.
 * Knows participants, messages, notes and loops; returns `null` for anything else.
 */
export function sequenceDiagram(source: string): Html | null {
  const [first, ...lines] = source.split('\n').map(line => line.trim())
  if (first !== 'sequenceDiagram') return null
  const names: string[] = []
  const columns = new Map<string, number>()
  const open: Loop[] = [{ title: '', steps: [] }]
  for (const line of lines) {
    const [, id = '', name = ''] = /^participant (\w+) as (.+)$/.exec(line) ?? []
    const [, title] = /^loop (.+)$/.exec(line) ?? []
    const step = parseStep(line, columns)
    if (id) {
      columns.set(id, names.length)
      names.push(name)
    } else if (title) {
      const loop = { title, steps: [] }
      open.at(-1)?.steps.push(loop)
      open.push(loop)
    } else if (line === 'end' && open.length > 1) open.pop()
    else if (step) open.at(-1)?.steps.push(step)
    else if (line) return null
  }
  const [all] = open
  if (!all || open.length > 1 || names.length > maxColumns) return null
  return html`<div class="sequence" data-columns="${names.length}"><div>
<p class="participants" aria-hidden="true">${names.map(name => html`<span>${name}</span>`)}</p>
${stepList(all, names)}
</div></div>`
}

/** As many as the style sheet has columns for. */
const maxColumns = 4

function parseStep(line: string, columns: Map<string, number>): Step | null {
  const [, sender = '', arrow, receiver = '', message = ''] = /^(\w+)(--?>>)(\w+): (.+)$/.exec(line) ?? []
  const [, left = '', right = left, note = ''] = /^Note over (\w+)(?:,(\w+))?: (.+)$/.exec(line) ?? []
  const from = columns.get(sender || left)
  const to = columns.get(receiver || right)
  if (from === undefined || to === undefined) return null
  if (note) return { from, to, text: note, kind: 'note' }
  return { from, to, text: message, kind: arrow === '-->>' ? 'reply' : 'message' }
}

const stepList = ({ steps }: Loop, names: string[]): Html =>
  html`<ol role="list">${steps.map(step =>
    'steps' in step
      ? html`<li class="loop"><p>Loop: ${step.title}</p>${stepList(step, names)}</li>`
      : html`<li>${stepItem(step, names)}</li>`,
  )}</ol>`

/** The columns of the style sheet's grid are halves of ours, so that an arrow can lead from centre to centre. */
function stepItem({ from, to, text, kind }: Step, names: string[]): Html {
  const isArrow = kind !== 'note' && from !== to
  const [left, right] = [Math.min(from, to), Math.max(from, to)]
  const [start, end] = isArrow ? [2 * left + 2, 2 * right + 2] : [2 * left + 1, 2 * right + 3]
  const shape = isArrow ? `${kind} ${from < to ? 'rightwards' : 'leftwards'}` : kind === 'note' ? 'note' : 'own'
  const who = isArrow ? `${names[from]} → ${names[to]}` : kind === 'note' ? '' : names[from]
  return html`<div class="${shape}" data-start="${start}" data-end="${end}">${who && html`<span class="who">${who}<span class="colon">: </span></span>`}<span class="what">${text}</span></div>`
}
