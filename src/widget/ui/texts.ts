import { type ReadonlySignal, signal } from '@preact/signals-core'
import { type ComponentChild, h } from 'preact'
import type { Models } from '../app/createApp.ts'
import type { Row } from './groupMessages.ts'
import { linkify } from './links.tsx'

/** Draws what a message says. */
export type DrawText = (row: Row) => ComponentChild

/**
 * How texts are drawn: as plain text, and Markdown as such once what draws it has been fetched, which the first message
 * of that kind asks for. Where that can't be fetched it stays plain, and the next one asks again.
 */
export function createTexts(root: ShadowRoot, models: Models): ReadonlySignal<DrawText> {
  const { conversation } = models
  let loading = false
  let askedBy: string | undefined
  const isMarkdown = ({ format, author }: Row) => format === 'markdown' && author !== 'visitor'
  const load = async () => {
    loading = true
    try {
      const { Markdown, adoptMarkdownStyles } = await import('../markdown/index.ts')
      adoptMarkdownStyles(root)
      // The first drawing costs as much as what has just been evaluated.
      await new Promise(requestAnimationFrame)
      texts.value = row =>
        isMarkdown(row)
          ? h(Markdown, {
              text: row.text,
              images: !!conversation.botProfile.profile.value?.images,
              isStreaming: !row.seq,
              strings: models.strings,
            })
          : linkify(row.text)
    } catch {
      loading = false
    }
  }
  const texts = signal<DrawText>(row => {
    if (isMarkdown(row) && !loading && row.id !== askedBy) {
      askedBy = row.id
      void load()
    }
    return linkify(row.text)
  })
  return texts
}
