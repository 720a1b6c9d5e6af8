import { type Html, html } from '../html.ts'

const languages: Record<string, string> = {
  caddyfile: 'Caddyfile',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  ini: 'INI',
  js: 'JavaScript',
  json: 'JSON',
  md: 'Markdown',
  mermaid: 'Mermaid',
  nginx: 'nginx',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  sh: 'Shell',
  sql: 'SQL',
  svelte: 'Svelte',
  ts: 'TypeScript',
  tsx: 'TypeScript',
  vue: 'Vue',
  yaml: 'YAML',
}

/** A block of code with the name of its language, which the page's script adds a Copy button to. */
export const codeFigure = (code: string, language = ''): Html =>
  html`<figure><figcaption>${languages[language] ?? 'Text'}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`
