import { bots } from './bots.ts'
import type { Command, Topic } from './command.ts'
import { conformance } from './conformance.ts'
import { contacts } from './contacts.ts'
import { content } from './content.ts'
import { backup, copy, migrate, restore } from './databases.ts'
import { desk } from './desk.ts'
import { doctor } from './doctor.ts'
import { organizations } from './organizations.ts'
import { secrets } from './secrets.ts'
import { serve } from './serve.ts'
import { tokens } from './tokens.ts'

/** What `natter --help` lists: commands, and topics with several of them. */
export const topics: (Topic | Command)[] = [
  ...[serve, organizations, bots, tokens, desk, contacts, content, secrets],
  ...[backup, restore, migrate, copy, conformance, doctor],
]

/** All commands, for the tests of the help and of the guides. */
export const commands: Command[] = topics.flatMap(topic => ('commands' in topic ? topic.commands : topic))
