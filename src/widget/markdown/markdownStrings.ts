import type { Strings } from '../i18n/en.ts'

export type MarkdownStrings = Pick<Strings, 'copy' | 'copied' | 'code' | 'table'>
