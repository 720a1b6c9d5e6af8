import { type ReadonlySignal, signal } from '@preact/signals-core'
import { type ComponentChild, h } from 'preact'
import type { Models } from '../app/createApp.ts'
import { iconButton } from './buttons.tsx'
import type { Row } from './groupMessages.ts'
import { link, withLinks } from './links.tsx'

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
      const { createMarkdown } = await import('../markdown/index.ts')
      const draw = createMarkdown(root, { h, link, iconButton, strings: () => models.strings })
      // The first drawing costs as much as what has just been evaluated.
      await new Promise(requestAnimationFrame)
      texts.value = row =>
        isMarkdown(row)
          ? draw(row.items, {
              text: row.text,
              images: !!conversation.botProfile.profile.value?.images,
              growing: !row.seq,
            })
          : withLinks(row.text)
    } catch {
      loading = false
    }
  }
  const texts = signal<DrawText>(row => {
    if (isMarkdown(row) && !loading && row.id !== askedBy) {
      askedBy = row.id
      void load()
    }
    return withLinks(row.text)
  })
  return texts
}
