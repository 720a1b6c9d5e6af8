import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { auditHref, teamHref } from '../router.ts'
import { AuditList } from './AuditList.tsx'
import { Members } from './Members.tsx'

/** Who answers, and what they have done. For admins. */
export function TeamPage({ tab }: { tab: 'members' | 'audit' }): JSX.Element {
  const { strings } = useDesk()
  const link = (name: 'members' | 'audit', href: string) => (
    <a class="view" href={href} aria-current={tab === name ? 'true' : undefined}>
      {strings.team[name]}
    </a>
  )
  return (
    <main class="page" aria-label={strings.app.team}>
      <nav class="views" aria-label={strings.app.team}>
        {link('members', teamHref)}
        {link('audit', auditHref)}
      </nav>
      {tab === 'members' ? <Members /> : <AuditList />}
    </main>
  )
}
