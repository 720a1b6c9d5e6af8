import { posix } from 'node:path'

/** A page that shows a guide. */
export interface GuidePage {
  /** The last part of its path, `/docs/{name}`; empty for `/docs` itself. */
  name: string
  /** The task that it helps with, for the navigation. */
  task: string
  /** Its Markdown file, as a path in the package. */
  file: string
}

/** A page that shows what guides link to: a file as it is, or all files of a folder. */
export interface SourcePage {
  name: string
  /** A file or a folder of the package. */
  path: string
  files: string[]
}

/** The page of the OpenAPI document, which has no file. */
export const apiPageName = 'api'
/** The page that searches the others. */
export const searchPageName = 'search'

/** The navigation. */
export const groups: { title: string; pages: GuidePage[] }[] = [
  {
    title: 'Get started',
    pages: [{ name: '', task: 'What Natter is, and a page to copy', file: 'README.md' }],
  },
  {
    title: 'Put the chat on your site',
    pages: [
      { name: 'widget', task: 'Embed and configure the widget', file: 'src/widget/README.md' },
      { name: 'sdk', task: 'Say who is signed in', file: 'src/sdk/README.md' },
      { name: 'other-languages', task: 'Python, PHP, Ruby, Go', file: 'src/sdk/docs/otherLanguages.md' },
      { name: 'testing', task: "Test your site's chat", file: 'src/testing/README.md' },
    ],
  },
  {
    title: 'Answer and integrate',
    pages: [
      { name: 'platform', task: 'Run the platform and its bots', file: 'src/platform/README.md' },
      { name: 'desk', task: 'Answer as a team', file: 'src/desk/README.md' },
      { name: apiPageName, task: 'API reference', file: '' },
      { name: 'conformance', task: 'Check a deployment by the rules', file: 'src/platform/docs/conformance.md' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      { name: 'production', task: 'Set up one machine', file: 'src/platform/docs/production.md' },
      { name: 'docker', task: 'One machine, with Docker', file: 'demo/deploy/README.md' },
      { name: 'cluster', task: 'Several nodes, with Docker', file: 'demo/deploy/cluster/README.md' },
      { name: 'kubernetes', task: 'Kubernetes', file: 'demo/deploy/kubernetes/README.md' },
      { name: 'proxy', task: 'Put it behind a proxy', file: 'src/platform/docs/proxy.md' },
      { name: 'many-nodes', task: 'Grow to many nodes', file: 'src/platform/docs/manyNodes.md' },
      { name: 'backup', task: 'Back up, restore, erase', file: 'src/platform/docs/backup.md' },
      { name: 'upgrades', task: 'Upgrade and move', file: 'src/platform/docs/migrations.md' },
      { name: 'sizing', task: 'Choose the machines', file: 'src/platform/docs/sizing.md' },
    ],
  },
  {
    title: 'About Natter',
    pages: [
      { name: 'benchmarks', task: 'Benchmarks', file: 'e2e/bench/README.md' },
      { name: 'security', task: 'Security', file: 'SECURITY.md' },
      { name: 'changelog', task: 'Changelog', file: 'CHANGELOG.md' },
    ],
  },
]

/** All pages of the navigation, in its order. */
export const guidePages: GuidePage[] = groups.flatMap(({ pages }) => pages)

const source = (name: string, path: string): SourcePage => ({ name, path, files: [path] })

export const sourcePages: SourcePage[] = [
  source('demo-server', 'demo/server.ts'),
  source('docker-compose', 'demo/deploy/compose.yaml'),
  source('docker-caddyfile', 'demo/deploy/Caddyfile'),
  source('cluster-compose', 'demo/deploy/cluster/compose.yaml'),
  source('cluster-caddyfile', 'demo/deploy/cluster/Caddyfile'),
  ...['autoscaling', 'config', 'ingress', 'migrate', 'natter'].map(name =>
    source(`kubernetes-${name}`, `demo/deploy/kubernetes/${name}.yaml`),
  ),
  {
    name: 'demo-content',
    path: 'demo/content',
    files: ['care', 'delivery', 'orders', 'payment', 'returns', 'sizes'].map(name => `demo/content/${name}.md`),
  },
]

/** The folders of the pictures in guides. */
export const imageFolders = ['e2e/bench/plots', 'demo/images', 'src/desk/images']

/** The address of a page, relative to `/docs` (the page named '') or to a page below it. */
export function pageAddress(from: { name: string }, to: { name: string }): string {
  if (to.name === '') return from.name === '' ? 'docs' : '../docs'
  return below(from, to.name)
}

/** The address of what is below `/docs/`, relative to a page. */
export const below = (from: { name: string }, name: string): string => (from.name === '' ? `docs/${name}` : name)

/**
 * The address on a page of what the page's file links to: another page with its anchor, a picture, or another site. Throws if
 * there is no such thing.
 */
export function linkAddress(from: GuidePage, link: string): string {
  // The API reference, which has no file, has addresses already.
  if (!from.file || link.startsWith('#') || /^https?:\/\//.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const target = posix.join(posix.dirname(from.file), path)
  if (imageFolders.includes(posix.dirname(target))) return below(from, posix.basename(target))
  const page = guidePages.find(({ file }) => file === target) ?? sourcePages.find(({ path }) => path === target)
  if (!page) throw new Error(`${from.file} links to ${link}, which is no page of the documentation`)
  return pageAddress(from, page) + (anchor ? `#${anchor}` : '')
}
