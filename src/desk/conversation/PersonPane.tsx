import type { ComponentChildren, JSX } from 'preact'
import type { Attributes } from '../../contract/index.ts'
import { closePath } from '../../widget/styles/closePath.ts'
import { Link } from '../../widget/ui/links.tsx'
import { useDesk } from '../DeskContext.ts'
import { Icon } from '../Icon.tsx'
import { useConversation, useStrings, useVisitorName } from './ConversationContext.ts'
import { checkPath, personPath } from './icons.ts'

interface PersonPaneProps {
  isOpen: boolean
  onClose(): void
}

/** Who the visitor is: what the site's server has verified, apart from what the page claims. */
export function PersonPane({ isOpen, onClose }: PersonPaneProps): JSX.Element {
  const {
    format,
    now,
    strings: { lang },
  } = useDesk()
  const { thread } = useConversation()
  const strings = useStrings()
  const name = useVisitorName()
  const { contact, verified, claimed, locale } = thread.person.value
  const { createdAt, lastMessage } = thread.conversation.value
  const page = pageOf(claimed)
  const moment = (at: string) => format.moment(at, now.value)
  return (
    <aside id="person" class={isOpen ? 'person open' : 'person'} aria-label={strings.person}>
      <header class="person-header">
        <span class="avatar" aria-hidden="true">
          {contact ? [...name][0] : <Icon path={personPath} />}
        </span>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <button type="button" class="icon-button hide-person" aria-label={strings.hidePerson} onClick={onClose}>
          <Icon path={closePath} />
        </button>
        <p class="identity">
          <Icon path={contact ? checkPath : personPath} />
          <span>
            <b>{contact ? strings.verified : strings.guest}</b>
            <span class="meta">{contact ? strings.verifiedHint : strings.guestHint}</span>
          </span>
        </p>
      </header>
      <dl>
        <Fact name={strings.email}>{contact?.email}</Fact>
        <Fact name={strings.phone}>{contact?.phone}</Fact>
        <Fact name={strings.language}>{locale && nameOfLanguage(locale, lang)}</Fact>
        <Fact name={strings.page} hint={strings.pageHint}>
          {page.title && <bdi>{page.title}</bdi>}
          {page.url ? <Link href={page.url} text={page.url} /> : page.path}
        </Fact>
      </dl>
      <AttributeList title={strings.verifiedAttributes} hint={strings.verifiedAttributesHint} attributes={verified} />
      <AttributeList
        title={strings.claimedAttributes}
        hint={strings.claimedAttributesHint}
        attributes={Object.fromEntries(Object.entries(claimed).filter(([key]) => !pageKeys.includes(key)))}
      />
      <section>
        <h3>{strings.times}</h3>
        <dl>
          <Fact name={strings.knownSince}>{contact && moment(contact.createdAt)}</Fact>
          <Fact name={strings.began}>{moment(createdAt)}</Fact>
          <Fact name={strings.lastMessage}>{moment(lastMessage.createdAt)}</Fact>
        </dl>
      </section>
    </aside>
  )
}

function Fact({
  name,
  hint,
  children,
}: {
  name: string
  hint?: string
  children: ComponentChildren
}): JSX.Element | null {
  if (!children || (Array.isArray(children) && !children.some(Boolean))) return null
  return (
    <div class="fact">
      <dt>
        {name} {hint && <span class="meta">{hint}</span>}
      </dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}

interface AttributeListProps {
  title: string
  hint: string
  attributes: Attributes
}

function AttributeList({ title, hint, attributes }: AttributeListProps): JSX.Element | null {
  const strings = useStrings()
  const entries = Object.entries(attributes)
  if (entries.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <p class="meta">{hint}</p>
      <dl>
        {entries.map(([key, value]) => (
          <Fact key={key} name={key}>
            {value === true ? strings.yes : value === false ? strings.no : `${value}`}
          </Fact>
        ))}
      </dl>
    </section>
  )
}

const pageKeys = ['page.origin', 'page.path', 'page.title']

/** The page that the visitor is on, according to the page itself. */
function pageOf(claimed: Attributes): { title: string; path: string; url: string | undefined } {
  const [origin, path, title] = pageKeys.map(key => `${claimed[key] ?? ''}`) as [string, string, string]
  const url = /^https?:\/\//i.test(origin) && URL.canParse(path, origin) ? new URL(path, origin) : undefined
  return { title, path, url: url && /^https?:$/.test(url.protocol) ? url.href : undefined }
}

function nameOfLanguage(tag: string, lang: string): string {
  try {
    return new Intl.DisplayNames(lang, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
