/** Lets the browser paint, and take what the visitor types, before what follows. */
export const nextTask = (): Promise<void> => new Promise(resolve => setTimeout(resolve))
