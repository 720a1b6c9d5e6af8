import type { JSX } from 'preact'
import type { Source } from '../../contract/index.ts'
import { Link } from './links.tsx'

/** Where an answer has its content from, as numbered links. Other addresses than https are not shown. */
export function Sources({ sources, label }: { sources: readonly Source[]; label: string }): JSX.Element {
  return (
    <ol class="sources" aria-label={label}>
      {sources
        .filter(({ url }) => /^https:\/\//i.test(url))
        .map(({ title, url }, index) => (
          <li key={index}>
            <bdi>
              <Link href={url} text={title} />
            </bdi>
          </li>
        ))}
    </ol>
  )
}
