/** Two soft notes, one after the other: frequency in hertz, start in seconds. */
const notes = [
  [784, 0],
  [1047, 0.12],
] as const

const loudness = 0.08
const noteSeconds = 0.4

/** Plays a short sound. It is synthesized, because a strict Content Security Policy allows neither a file nor `data:`. */
export function playChime(): void {
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
      // Close it after the last note: browsers limit the number of open audio contexts.
      tone.onended = start ? () => void audio.close() : null
    }
  } catch {
    // There is no audio device, or the page is not allowed to use it.
  }
}
