/** Creates a generator of pseudorandom numbers from 0 up to 1. `seed` is an integer from 1 to 2147483646. */
export function createRandom(seed = 1): () => number {
  let state = seed
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
