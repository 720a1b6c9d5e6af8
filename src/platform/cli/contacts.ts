import { emailSchema } from '../../contract/index.ts'
import { count } from '../count.ts'
import { deleteContact } from '../domain/contacts.ts'
import { emailKey } from '../domain/emailKey.ts'
import { timestamp } from '../domain/time.ts'
import type { ContactErasure, ContactScope, Store } from '../store/store.ts'
import { type CommandContext, command, type Topic, UsageError } from './command.ts'
import { database, findBot, onStore } from './database.ts'
import { attachmentsOf, exportFiles } from './exportFiles.ts'
import { checked, option, required } from './option.ts'

const target = [
  required(option('--bot <BOT>', 'The bot whose contact it is')),
  option('--email <EMAIL>', 'The email of the contact, instead of CONTACT_ID').argParser(checked(emailSchema)),
] as const
const options = [...target, database] as const
const files = option('--files <FOLDER>', 'Also saves the files of the messages in this folder')
const yes = option('--yes', 'Confirms that the data is deleted permanently')

/** Finds the contact by id or email, and calls `use` with it. */
async function withContact<Result>(
  { values, argument }: Pick<CommandContext<typeof options>, 'values' | 'argument'>,
  store: Store,
  use: (scope: ContactScope) => Promise<Result | null | 'not_found'>,
): Promise<Result> {
  const { bot: botId, email } = values
  if ((argument === '') === (email === undefined)) throw new UsageError('Give either CONTACT_ID or --email.')
  const { organizationId } = await findBot(store, botId)
  const scope = { organizationId, botId }
  const key = email && emailKey(email)
  const contactId = key ? (await store.findContactByEmail(scope, key))?.id : argument
  const result = contactId ? await use({ ...scope, contactId }) : null
  if (result !== null && result !== 'not_found') return result
  throw new UsageError(`Bot ${botId} has no contact ${email ?? argument}.`)
}

export const contacts: Topic = {
  name: 'contact',
  summary: 'Exports, erases and signs out a person, and ends emails to it',
  note: `A running server applies it within a second. "export" prints the contact, its sessions and its conversation as JSON.
With --files it also saves the files of the messages, under the names in "savedAs".
"erase" deletes the contact with its conversation. Earlier backups still contain them.`,
  commands: [
    ...(['unsubscribe', 'resubscribe'] as const).map(verb =>
      command({
        name: `contact ${verb}`,
        positional: '[CONTACT_ID]',
        summary: verb === 'unsubscribe' ? 'Ends emails to the contact' : 'Lets the contact get emails again',
        options,
        run: onStore(async (call, store) => {
          const { id } = await withContact(call, store, store.findContact)
          await store.setEmailsEnded({ contactId: id }, verb === 'unsubscribe' ? 'unsubscribed' : null)
          call.printLine(`${verb}d`)
        }),
      }),
    ),
    command({
      name: 'contact export',
      positional: '[CONTACT_ID]',
      summary: 'Prints everything that is stored about the contact',
      options: [...target, files, database],
      run: onStore(async (call, store) => {
        const { files: folder } = call.values
        const all = await withContact(call, store, async scope => {
          const exported = await store.exportContact(scope)
          return exported && folder !== undefined
            ? exportFiles({ store, clock: call.clock }, scope, exported, folder)
            : exported
        })
        const { length } = attachmentsOf(all)
        if (length > 0 && folder === undefined)
          call.stderr(`${length === 1 ? 'One file is' : `${length} files are`} not included: add --files FOLDER.\n`)
        call.printLine(JSON.stringify(all, null, 2))
      }),
    }),
    command({
      name: 'contact erase',
      positional: '[CONTACT_ID]',
      summary: 'Deletes the contact and its conversation, and signs it out; requires --yes',
      options: [...target, yes, database],
      run: onStore(async (call, store) => {
        if (!call.values.yes)
          throw new UsageError('This deletes the contact and its conversation permanently: add --yes.')
        const at = timestamp(call.clock.now())
        let sessions = 0
        const onErased = ({ ended }: ContactErasure): void => {
          sessions += ended.length
        }
        await withContact(call, store, scope => deleteContact(store, scope, at, onErased))
        call.printLine(`erased, ${count(sessions, 'session')} ended`)
      }),
    }),
    command({
      name: 'contact sign-out',
      positional: '[CONTACT_ID]',
      summary: 'Revokes all tokens of the contact',
      options,
      run: onStore(async (call, store) => {
        const at = timestamp(call.clock.now())
        const ended = await withContact(call, store, scope => store.endContactSessions(scope, 'revoked', at))
        if (typeof ended === 'string') throw new TypeError('A call without an idempotency key cannot be refused.')
        call.printLine(`${count(ended.value.length, 'session')} ended`)
      }),
    }),
  ],
}
