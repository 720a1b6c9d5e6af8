import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core'

/**
 * What grows, as of the latest frame: what streams in faster than the screen shows it is drawn no more often. Its
 * beginning and its end are told at once, as is another one in its place; a hidden tab, which has no frames, draws only
 * those. With it comes the undo.
 */
export function throttleToFrame<Growing extends { id: string }>(
  source: ReadonlySignal<Growing | null>,
): [ReadonlySignal<Growing | null>, () => void] {
  const frame = signal(0)
  const id = computed(() => source.value?.id)
  const draw = (time: number) => {
    frame.value = time
  }
  return [
    computed(() => (id.value && frame.value + 1 ? source.peek() : null)),
    // All that are asked for before a frame get the same time: the second one changes nothing.
    effect(() => {
      if (source.value) requestAnimationFrame(draw)
    }),
  ]
}
