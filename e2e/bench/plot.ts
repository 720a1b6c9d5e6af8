/** A line chart with logarithmic axes, or a bar chart with categories on the x axis. */
export interface Plot {
  /** File name without extension. */
  name: string
  title: string
  /** Labels along the x axis. */
  x: string[]
  series: { name: string; values: number[] }[]
  kind: 'lines' | 'bars'
}

const [width, height] = [560, 240]
const area = { left: 52, right: 548, top: 44, bottom: 206 }
// Dashes and the order of the legend distinguish the series without colours.
const colors = ['#3b5bdb', '#868e96', '#e8590c', '#2b8a3e', '#9c36b5', '#c2255c']
const dashes = ['', '6 3', '2 2', '8 2 2 2', '4 4', '1 3']

/** A small chart that is readable on light and dark pages. */
export function toSvg(plot: Plot): string {
  const values = plot.series.flatMap(series => series.values)
  const scale = plot.kind === 'lines' ? logarithmic(values) : linear(values)
  const marks = scale.ticks.flatMap(tick => {
    const y = round(scale.y(tick))
    return [
      `<path class="grid" d="M${area.left} ${y}H${area.right}"/>`,
      `<text x="${area.left - 6}" y="${y + 4}" text-anchor="end">${short(tick)}</text>`,
    ]
  })
  const labels = plot.x.map(
    (label, index) =>
      `<text x="${round(xOf(plot, index))}" y="${area.bottom + 18}" text-anchor="middle">${label}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11">`,
    `<title>${plot.title}</title>`,
    '<style>text{fill:#495057}.grid{stroke:#adb5bd;stroke-opacity:.35}@media(prefers-color-scheme:dark){text{fill:#ced4da}}</style>',
    `<text x="${area.left}" y="16" font-size="13" font-weight="600">${plot.title}</text>`,
    ...legend(plot),
    ...marks,
    ...labels,
    ...(plot.kind === 'lines' ? lines(plot, scale.y) : bars(plot, scale.y)),
    '</svg>\n',
  ].join('\n')
}

interface Scale {
  y(value: number): number
  ticks: number[]
}

function linear(values: number[]): Scale {
  const most = Math.max(...values)
  const step = 10 ** Math.floor(Math.log10(most)) / (most / 10 ** Math.floor(Math.log10(most)) < 4 ? 2 : 1)
  const end = Math.ceil(most / step) * step
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step)
  return { y: value => area.bottom - (value / end) * (area.bottom - area.top), ticks }
}

function logarithmic(values: number[]): Scale {
  const [from, to] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))]
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index))
  return { y: value => area.bottom - ((Math.log10(value) - from) / (to - from)) * (area.bottom - area.top), ticks }
}

const slot = ({ x }: Plot): number => (area.right - area.left) / x.length
const xOf = (plot: Plot, index: number): number => area.left + slot(plot) * (index + 0.5)
const round = (value: number): number => Math.round(value * 10) / 10
const short = (value: number): string => (value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(3))))

function legend({ series }: Plot): string[] {
  let x = area.left
  return series.map(({ name }, index) => {
    const entry = `<path d="M${x} 31h18" stroke="${colors[index]}" stroke-width="3" stroke-dasharray="${dashes[index]}"/><text x="${x + 23}" y="35">${name}</text>`
    x += 36 + name.length * 6
    return entry
  })
}

function lines(plot: Plot, y: (value: number) => number): string[] {
  return plot.series.map(({ values }, index) => {
    const points = values.map((value, position) => `${round(xOf(plot, position))} ${round(y(value))}`)
    return `<path d="M${points.join('L')}" fill="none" stroke="${colors[index]}" stroke-width="2" stroke-dasharray="${dashes[index]}"/>`
  })
}

function bars(plot: Plot, y: (value: number) => number): string[] {
  const bar = (slot(plot) * 0.7) / plot.series.length
  return plot.series.flatMap(({ values }, index) =>
    values.map((value, position) => {
      const x = xOf(plot, position) + (index - plot.series.length / 2) * bar
      const top = round(y(value))
      return `<rect x="${round(x)}" y="${top}" width="${round(bar - 2)}" height="${round(area.bottom - top)}" fill="${colors[index]}"/>`
    }),
  )
}
