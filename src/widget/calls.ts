/** Calls made before the part that answers them is there. */
export interface Calls<Target> {
  /** Settles as the call does, once there is somebody to answer it. */
  add<Result>(call: (target: Target) => Result | Promise<Result>): Promise<Result>
  /** Makes the calls, in order. */
  answer(target: Target): void
  refuse(cause: Error): void
}

export function createCalls<Target>(): Calls<Target> {
  let waiting: { call(target: Target): void; refuse(cause: Error): void }[] = []
  const take = () => {
    const taken = waiting
    waiting = []
    return taken
  }
  return {
    add: call =>
      new Promise((resolve, reject) => {
        waiting.push({
          call(target) {
            try {
              resolve(call(target))
            } catch (cause) {
              reject(cause)
            }
          },
          refuse: reject,
        })
      }),
    answer(target) {
      for (const { call } of take()) call(target)
    },
    refuse(cause) {
      for (const { refuse } of take()) refuse(cause)
    },
  }
}
