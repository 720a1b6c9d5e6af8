import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settle } from './fakeClock.ts'
import { adaToken, createAcme, type Tab } from './fixtures.ts'

/** A file as the visitor chooses it. */
export const textFile = (name: string, content = `Content of ${name}`) =>
  new File([content], name, { type: 'text/plain' })

/** A file that was deleted on the disk after the visitor had chosen it. */
export async function deletedFile(name: string): Promise<File> {
  const folder = await mkdtemp(join(tmpdir(), 'natter-'))
  const path = join(folder, name)
  await writeFile(path, 'Deleted')
  const blob = await openAsBlob(path)
  await rm(folder, { recursive: true })
  return Object.assign(blob, { name }) as File
}

/** Signs Ada in, with the code for files. */
export async function signIn(options: Parameters<ReturnType<typeof createAcme>['browser']['openTab']>[0] = {}) {
  const acme = createAcme()
  const tab = acme.browser.openTab({ ...options, start: false })
  await tab.core.login(adaToken)
  await settle()
  const { conversation } = tab.core.models
  const model = await loadModel(tab)
  const uploads = () => acme.platform.log.filter(({ method, path }) => method === 'PUT' && path.startsWith('/att'))
  const send = (text: string) => conversation.outbox.send(text, { files: model.takeDraft() })
  const states = () => model.draft.value.map(file => model.stateOf(file).value.kind)
  return { ...acme, tab, conversation, model, uploads, send, states }
}

export async function loadModel({ core }: Tab) {
  const model = await core.models.conversation.attachments.load()
  if (!model) throw new Error('The widget was destroyed')
  return model
}

/** The names of the files of messages. */
export const filesOf = (messages: readonly { attachments?: readonly { name: string }[] | undefined }[]) =>
  messages.flatMap(({ attachments = [] }) => attachments.map(({ name }) => name))
