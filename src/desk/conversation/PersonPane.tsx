import type { ComponentChildren, JSX } from 'preact'
import type { Attributes } from '../../contract/index.ts'
import { closePath } from '../../widget/styles/closePath.ts'
import { Link } from '../../widget/ui/links.tsx'
import { Avatar } from '../Avatar.tsx'
import { useDesk } from '../DeskContext.ts'
import { checkPath, Icon, personPath } from '../Icon.tsx'
import { interpolate } from '../i18n/format.ts'
import { useConversation, useConversationTexts, useVisitorName } from './ConversationContext.ts'
import { PersonActions } from './PersonActions.tsx'

interface PersonPaneProps {
  isOpen: boolean
  onClose(): void
}

/** Who the visitor is: what the site's server has verified, apart from what the page claims. */
export function PersonPane({ isOpen, onClose }: PersonPaneProps): JSX.Element {
  const { format, now, strings } = useDesk()
  const { thread } = useConversation()
  const texts = useConversationTexts()
  const name = useVisitorName()
  const { contact, signedInSince, isBlocked, verified, claimed, locale, email, ratings } = thread.person.value
  const { createdAt, lastMessageAt } = thread.conversation.value
  const page = pageOf(claimed)
  const moment = (at: string) => format.moment(at, now.value)
  return (
    <aside
      id="person"
      class={isOpen ? 'person open' : 'person'}
      aria-label={texts.person}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it a keyboard can't scroll.
      tabIndex={0}
    >
      <header class="person-header">
        <Avatar name={contact?.name} />
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <div class="person-buttons">
          <PersonActions />
          <button type="button" class="icon-button hide-person" aria-label={strings.app.close} onClick={onClose}>
            <Icon path={closePath} />
          </button>
        </div>
        <p class="identity">
          <Icon path={contact ? checkPath : personPath} />
          <span>
            <b>{contact ? texts.verified : texts.unverified}</b>
            <span class="meta">{contact ? texts.verifiedHint : isBlocked ? texts.blocked : texts.guestHint}</span>
            {contact && (
              <span class="meta">
                {signedInSince ? interpolate(texts.signedInSince, { time: moment(signedInSince) }) : texts.signedOut}
              </span>
            )}
          </span>
        </p>
      </header>
      <dl>
        <Fact name={strings.app.email}>
          {contact?.email}
          {email && (
            <>
              {email.address}
              <span class="meta">{email.isConfirmed ? texts.emailConfirmed : texts.emailClaimed}</span>
            </>
          )}
        </Fact>
        <Fact name={texts.phone}>{contact?.phone}</Fact>
        <Fact name={texts.language}>{locale && nameOfLanguage(locale, strings.lang)}</Fact>
      </dl>
      <AttributeSection title={texts.verifiedAttributes} hint={texts.verifiedAttributesHint} attributes={verified} />
      <AttributeSection title={texts.claimedAttributes} hint={texts.claimedAttributesHint} attributes={claimed}>
        <Fact name={texts.page}>
          {page.title && <bdi>{page.title}</bdi>}
          {page.url ? <Link href={page.url} text={page.url} /> : page.path}
        </Fact>
      </AttributeSection>
      {ratings.last && (
        <section>
          <h3>{texts.ratings}</h3>
          <dl>
            <Fact name={texts.helpful}>{format.number(ratings.up)}</Fact>
            <Fact name={texts.notHelpful}>{format.number(ratings.down)}</Fact>
            <Fact name={texts.lastRating}>{ratings.last === 'up' ? texts.helpful : texts.notHelpful}</Fact>
          </dl>
        </section>
      )}
      <section>
        <h3>{texts.times}</h3>
        <dl>
          <Fact name={texts.knownSince}>{contact && moment(contact.createdAt)}</Fact>
          <Fact name={texts.began}>{moment(createdAt)}</Fact>
          <Fact name={texts.lastMessage}>{moment(lastMessageAt)}</Fact>
        </dl>
      </section>
    </aside>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element | null {
  if (!children || (Array.isArray(children) && !children.some(Boolean))) return null
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </>
  )
}

interface AttributeSectionProps {
  title: string
  hint: string
  attributes: Attributes
  /** Facts before those of the attributes. */
  children?: ComponentChildren
}

function AttributeSection({ title, hint, attributes, children }: AttributeSectionProps): JSX.Element | null {
  const texts = useConversationTexts()
  const values = { true: texts.yes, false: texts.no }
  const entries = Object.entries(attributes).filter(([key]) => !pageKeys.includes(key))
  if (Object.keys(attributes).length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <p class="meta">{hint}</p>
      <dl>
        {children}
        {entries.map(([key, value]) => (
          <Fact key={key} name={key}>
            {typeof value === 'boolean' ? values[`${value}`] : `${value}`}
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
