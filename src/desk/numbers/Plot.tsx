import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { interpolate } from '../i18n/format.ts'
import type { PlotData } from './plots.ts'

/** The height of the plot in its own units, and the width of a day with the space around its bar. */
const [height, dayWidth, barWidth] = [100, 10, 8]

/** Bars by day, and the same as a table. `dates` are texts. */
export function Plot({ plot, dates }: { plot: PlotData; dates: string[] }): JSX.Element {
  const texts = useDesk().strings.numbers
  const { title, hint, series, columns, toText } = plot
  const heights = dates.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0))
  const highest = Math.max(...heights)
  const peak = { value: toText(highest), date: dates[heights.indexOf(highest)] ?? '' }
  const [from = '', to = ''] = [dates[0], dates.at(-1)]
  return (
    <section class="plot">
      <h2>{title}</h2>
      <p class="meta">{hint}</p>
      <figure>
        <p class="plot-top">{peak.value}</p>
        <svg
          role="img"
          aria-label={interpolate(texts.plotLabel, { title, from, to, ...peak })}
          viewBox={`0 0 ${dates.length * dayWidth} ${height}`}
          preserveAspectRatio="none"
        >
          {dates.map((date, day) => {
            let top = height
            return series.map(({ name, values }, index) => {
              const size = ((values[day] ?? 0) / highest) * height
              top -= size
              return (
                <rect
                  key={`${date} ${name}`}
                  class={`bar-${index}`}
                  x={day * dayWidth + (dayWidth - barWidth) / 2}
                  y={top}
                  width={barWidth}
                  height={size}
                />
              )
            })
          })}
        </svg>
        <p class="plot-dates">
          <span>{from}</span>
          <span>{to}</span>
        </p>
        <ul class="legend">
          {series.map(({ name }, index) => (
            <li key={name} class={`bar-${index}`}>
              {name}
            </li>
          ))}
        </ul>
      </figure>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it. */}
      <section class="plot-table" aria-label={interpolate(texts.tableLabel, { title })} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.day}</th>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {dates
              .map((date, day) => (
                <tr key={date}>
                  <th scope="row">{date}</th>
                  {columns.map(({ name, cells }) => (
                    <td key={name}>{cells[day]}</td>
                  ))}
                </tr>
              ))
              .reverse()}
          </tbody>
        </table>
      </section>
    </section>
  )
}
