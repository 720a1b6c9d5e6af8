/** Watches how a body arrives, and can stop it. */
export interface BodyObserver {
  /** Called before the first byte, unless the whole body has been received already. `stop` makes the reading fail. */
  onStart(stop: (error: Error) => void): void
  onBytes(count: number): void
  /** Called when the whole body has been read. */
  onEnd(bytes: number): void
}
