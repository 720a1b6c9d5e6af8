import { codeFigure } from '../codeFigure.ts'
import type { Html } from '../html.ts'

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

/** A block of code with the name of its language. */
export const codeBlock = (code: string, language = ''): Html => codeFigure(languages[language] ?? 'Text', code)
