/** Numbers from 0 up to 1 that look random and are the same in each run. */
export function createRandom(): () => number {
  let state = 1
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}
