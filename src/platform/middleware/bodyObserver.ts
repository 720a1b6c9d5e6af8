/** Watches how a body arrives, and can stop it. */
export interface BodyObserver {
  /** Whether the body had to wait for room before it was read, which took some of its sender's time. */
  readonly wasHeldBack: boolean
  /** Called before the first byte, unless the whole body has been received already. `stop` makes the reading fail. */
  onStart(stop: (error: Error) => void): void
  onBytes(count: number): void
  /** Called when the whole body has been read. */
  onEnd(bytes: number): void
}
