import { bots } from './bots.ts'
import type { Topic } from './command.ts'
import { conformance } from './conformance.ts'
import { contacts } from './contacts.ts'
import { backup, copy, migrate, restore } from './databases.ts'
import { doctor } from './doctor.ts'
import { faq } from './faq.ts'
import { organizations } from './organizations.ts'
import { secrets } from './secrets.ts'
import { serve } from './serve.ts'
import { tokens } from './tokens.ts'

/** All commands, for the parser, the help and the test of the guides. */
export const topics: Topic[] = [
  serve,
  organizations,
  bots,
  tokens,
  contacts,
  faq,
  secrets,
  backup,
  restore,
  migrate,
  copy,
  conformance,
  doctor,
]
