/**
 * Reads a built file by its path below `dist`; `null` if there is none. In its own file so that public types do not depend
 * on Hono.
 */
export type ReadBuiltFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>
