import type { JSX } from 'preact'
import { numbersPeriods } from '../../contract/deskLimits.ts'
import type { Numbers } from '../../contract/deskNumbers.ts'
import { BotSelect } from '../BotSelect.tsx'
import { useDesk } from '../DeskContext.ts'
import { interpolate } from '../i18n/format.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import { conversationHref, numbersHref } from '../router.ts'
import { Plot } from './Plot.tsx'
import { plotsOf, toDuration } from './plots.ts'

/** How the bots and the team do. Its choices are in the address. */
export function NumbersPage({ days, bot }: { days: number; bot: string }): JSX.Element {
  const { format, router, strings } = useDesk()
  const texts = strings.numbers
  return (
    <main class="page">
      <header class="page-header">
        <h1>{texts.title}</h1>
        <nav class="views" aria-label={texts.period}>
          {numbersPeriods.map(period => (
            <a
              key={period}
              class="view"
              href={numbersHref(period, bot)}
              aria-current={period === days ? 'true' : undefined}
            >
              {format.count(strings.inbox.lastDays, period)}
            </a>
          ))}
        </nav>
        <BotSelect
          label={strings.inbox.filter.bot}
          value={bot}
          anyBot={strings.inbox.filter.anyBot}
          onChange={botId => router.go(numbersHref(days, botId))}
        />
      </header>
      <Period key={`${days} ${bot}`} days={days} bot={bot} />
    </main>
  )
}

function Period({ days, bot }: { days: number; bot: string }): JSX.Element {
  const { api } = useDesk()
  const offset = -new Date().getTimezoneOffset()
  const loaded = useLoadable(() => api.get<'retrieveNumbers'>('/numbers', { days, bot: bot || null, offset }))
  return <Loaded from={loaded}>{numbers => <Content numbers={numbers} />}</Loaded>
}

function Content({ numbers }: { numbers: Numbers }): JSX.Element {
  const desk = useDesk()
  const { format } = desk
  const texts = desk.strings.numbers
  const { waiting, total, days, unanswered } = numbers
  const shareOf = (count: number) =>
    total.conversations > 0 ? interpolate(texts.share, { share: format.percent(count / total.conversations) }) : ''
  const { firstAnswer } = total
  const tiles: [name: string, value: string, more: string][] = [
    [texts.waiting, format.number(waiting), ''],
    [texts.conversations, format.number(total.conversations), ''],
    [texts.byBot, format.number(total.byBot), shareOf(total.byBot)],
    [texts.handedOver, format.number(total.handedOver), shareOf(total.handedOver)],
    [
      texts.firstAnswer,
      firstAnswer ? toDuration(firstAnswer.median, desk) : '–',
      firstAnswer
        ? interpolate(texts.most, { duration: format.duration(Math.max(firstAnswer.p90, 60) * 1000, 'short') })
        : texts.none,
    ],
  ]
  const dates = days.map(({ date }) => format.date(date))
  return (
    <>
      <dl class="tiles">
        {tiles.map(([name, value, more]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="tile-value">{value}</dd>
            {more && <dd class="meta">{more}</dd>}
          </div>
        ))}
      </dl>
      {total.conversations === 0 && <p class="empty">{texts.empty}</p>}
      {plotsOf(numbers, desk).map(plot => (
        <Plot key={plot.title} plot={plot} dates={dates} />
      ))}
      {total.conversations > 0 && (
        <section class="unanswered">
          <h2>{texts.unanswered}</h2>
          <p class="meta">{texts.unansweredHint}</p>
          {unanswered.length === 0 && <p>{texts.none}</p>}
          <ul class="rows">
            {unanswered.map(({ conversationId, contactName, question, askedAt, reason }) => (
              <li key={`${conversationId} ${askedAt} ${reason}`}>
                <div>
                  <a href={conversationHref(conversationId, 'all')} dir="auto">
                    {question}
                  </a>
                  <p class="meta">
                    <bdi>{contactName ?? desk.strings.inbox.guest}</bdi> · {texts.reasons[reason]} ·{' '}
                    <time dateTime={askedAt}>{format.moment(askedAt, desk.now.value)}</time>
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
