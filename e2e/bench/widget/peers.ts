import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from '../processes.ts'
import type { Served } from './pages.ts'

/** A chat widget, how a page embeds it, and how its server responds. */
export interface Subject {
  name: string
  /** The body of an otherwise empty page. */
  embed: string
  /** The folder that the page's files are served from. */
  files?: string
  /** The responses of the page's server to the widget's calls. Other paths are not found. */
  answer?: Served['answer']
  /** CSS selectors, through shadow roots. Without a launcher the panel is visible at once. */
  launcher?: string
  input: string
}

/** The versions are pinned, so that results can be compared. */
const versions = {
  'deep-chat': '2.4.2',
  '@typebot.io/js': '0.10.7',
  '@n8n/chat': '1.37.0',
  'flowise-embed': '3.1.6',
}
type Peer = keyof typeof versions

const module = (code: string): string => `<script type="module">${code}</script>`

/** Each is embedded as its documentation says, with the minimal responses that it needs before one can type. */
const embeddings: Record<Peer, Omit<Subject, 'name'>> = {
  'deep-chat': {
    embed: `<script type="module" src="/dist/deepChat.bundle.js"></script><deep-chat connect='{"url":"/api"}'></deep-chat>`,
    input: 'deep-chat #text-input',
  },
  '@typebot.io/js': {
    embed: module(
      `import Typebot from '/dist/web.js'; Typebot.initBubble({ typebot: 'bench', apiHost: location.origin })`,
    ),
    launcher: 'typebot-bubble button',
    input: 'typebot-bubble :is(input, textarea)',
    answer: path =>
      path.includes('/startChat')
        ? {
            sessionId: 'session',
            resultId: 'result',
            typebot: { id: 'bench', version: '6.1', theme: {}, settings: {} },
            messages: [
              {
                id: 'hello',
                type: 'text',
                content: { type: 'richText', richText: [{ type: 'p', children: [{ text: 'Hello' }] }] },
              },
            ],
            input: { id: 'input', type: 'text input' },
          }
        : undefined,
  },
  '@n8n/chat': {
    embed: `<link rel="stylesheet" href="/dist/style.css">${module(
      `import { createChat } from '/dist/chat.bundle.es.js'; createChat({ webhookUrl: location.origin + '/webhook' })`,
    )}`,
    launcher: '.chat-window-toggle',
    input: '.chat-inputs textarea',
    answer: path => (path === '/webhook' ? { data: [] } : undefined),
  },
  'flowise-embed': {
    embed: module(
      `import Chatbot from '/dist/web.js'; Chatbot.init({ chatflowid: 'bench', apiHost: location.origin })`,
    ),
    launcher: 'flowise-chatbot button',
    input: 'flowise-chatbot textarea',
    answer: path =>
      path.includes('/chatflows-streaming/')
        ? { isStreaming: false }
        : path.includes('/public-chatbotConfig/')
          ? { uploads: {} }
          : undefined,
  },
}

/** Downloads the packages that are missing, without their dependencies. */
export function preparePeers(): Subject[] {
  return (Object.keys(versions) as Peer[]).map(name => {
    const version = versions[name]
    const files = join(folder, 'peers', `${name.replace('/', '+')}@${version}`)
    if (!existsSync(join(files, 'package.json'))) fetchPackage(`${name}@${version}`, files)
    return { name: `${name} ${version}`, files, ...embeddings[name] }
  })
}

function fetchPackage(specifier: string, files: string): void {
  mkdirSync(files, { recursive: true })
  const [{ filename = '' } = {}] = JSON.parse(
    execFileSync('npm', ['pack', specifier, '--json', '--pack-destination', files], { encoding: 'utf8' }),
  ) as { filename?: string }[]
  execFileSync('tar', ['-xzf', join(files, filename), '--strip-components=1', '-C', files])
}
