/** Two soft notes, one after the other: frequency in hertz, start in seconds. */
const notes = [
  [784, 0],
  [1047, 0.12],
] as const

const loudness = 0.08
const noteSeconds = 0.4

/** Plays a short sound, made by Web Audio: a strict policy lets no file and no `data:` through. */
export function playChime(): void {
  // Before the visitor has done anything on the page, browsers are silent, and complain.
  if (navigator.userActivation?.hasBeenActive === false) return
  try {
    const audio = new AudioContext()
    for (const [frequency, start] of notes) {
      const tone = new OscillatorNode(audio, { frequency })
      const volume = new GainNode(audio, { gain: 0 })
      const begin = audio.currentTime + start
      volume.gain.setValueAtTime(0, begin)
      volume.gain.linearRampToValueAtTime(loudness, begin + 0.02)
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + noteSeconds)
      tone.connect(volume).connect(audio.destination)
      tone.start(begin)
      tone.stop(begin + noteSeconds)
      // The last one: pages may have only a few of them open.
      tone.onended = start ? () => void audio.close() : null
    }
  } catch {
    // No audio device, or none for this page.
  }
}
