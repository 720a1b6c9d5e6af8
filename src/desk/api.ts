import type { deskEndpoints } from '../contract/endpoints/desk.ts'
import type { BodyInputOf, Problem, ResponseOf } from '../contract/index.ts'
import { ApiError } from './ApiError.ts'

type Rows = typeof deskEndpoints
type NameWith<Method extends string> = {
  [Name in keyof Rows]: Rows[Name]['method'] extends Method ? Name : never
}[keyof Rows]
type Fill<Path extends string> = Path extends `${infer Start}{${string}}${infer Rest}`
  ? `${Start}${string}${Fill<Rest>}`
  : Path
/** The path of an endpoint below `/desk/api`, with any text in place of its parameters. */
type PathOf<Name extends keyof Rows> = Rows[Name]['path'] extends `/desk/api${infer Path}` ? Fill<Path> : never
type BodyArguments<Name extends keyof Rows> = BodyInputOf<Name> extends undefined ? [] : [body: BodyInputOf<Name>]

export type Query = Record<string, string | number | null | undefined>

/**
 * The endpoints of the desk, by the name of the endpoint in the contract: `api.post<'claim'>('/conversations/1/claim', …)`.
 * Each call resolves to the JSON of the response, and rejects with an `ApiError`. Nothing is repeated.
 */
export interface Api {
  get<Name extends NameWith<'GET'>>(path: PathOf<Name>, query?: Query): Promise<ResponseOf<Name>>
  post<Name extends NameWith<'POST'>>(path: PathOf<Name>, ...body: BodyArguments<Name>): Promise<ResponseOf<Name>>
  put<Name extends NameWith<'PUT'>>(path: PathOf<Name>, ...body: BodyArguments<Name>): Promise<ResponseOf<Name>>
  patch<Name extends NameWith<'PATCH'>>(path: PathOf<Name>, ...body: BodyArguments<Name>): Promise<ResponseOf<Name>>
  delete<Name extends NameWith<'DELETE'>>(path: PathOf<Name>): Promise<ResponseOf<Name>>
  upload(
    path: PathOf<'uploadMemberFile'>,
    file: Blob,
    abortSignal?: AbortSignal,
  ): Promise<ResponseOf<'uploadMemberFile'>>
}

export interface ApiDeps {
  /** Whose page it is: the id of a member, `undefined` as long as nobody has signed in, `null` once the session has ended. */
  memberId(): string | null | undefined
  /** Called when the platform says that nobody is signed in, or somebody else. */
  onSignedOut(): void
  fetch?: typeof globalThis.fetch
}

type Init = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

/** A request that takes longer has failed: the platform answers within 5 s. */
const timeoutMs = 15_000

export function createApi({ memberId, onSignedOut, fetch = globalThis.fetch.bind(globalThis) }: ApiDeps): Api {
  // The contract says what an endpoint answers, and the desk is always served by the platform of its own version.
  // biome-ignore lint/suspicious/noExplicitAny: the interface above gives each answer its type.
  async function request(path: string, init: Init): Promise<any> {
    const member = memberId()
    // What is still to be sent must not go out in the name of the next member.
    if (member === null) throw new ApiError(401, 'unauthorized', 'The session of this page has ended.')
    const headers = { ...init.headers, ...(member && { 'Natter-Member': member }) }
    let response: Response
    let body: unknown
    try {
      response = await fetch(`/desk/api${path}`, { ...init, headers })
      body = response.status === 204 ? undefined : await response.json().catch(() => undefined)
    } catch (error) {
      throw new ApiError(0, 'unreachable', 'The platform could not be reached.', { cause: error })
    }
    if (response.ok) return body
    if (response.status === 401) onSignedOut()
    const { code, detail, errors } = (body ?? {}) as Partial<Problem>
    throw new ApiError(response.status, code ?? 'unavailable', detail ?? `HTTP status ${response.status}.`, { errors })
  }
  const send = (method: string, options?: Init) => (path: string, body?: unknown) =>
    request(path, {
      ...options,
      method,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    })
  return {
    get: (path, query) => send('GET')(path + queryString(query)),
    post: send('POST'),
    // A draft reaches the platform although its page is closed. Browsers refuse bodies of more than 64 kB then; all are smaller.
    put: send('PUT', { keepalive: true }),
    patch: send('PATCH'),
    delete: send('DELETE'),
    upload: (path, file, abortSignal) =>
      request(path, {
        method: 'PUT',
        body: file,
        headers: { 'Content-Type': file.type || 'application/octet-stream' },
        ...(abortSignal && { signal: abortSignal }),
      }),
  }
}

function queryString(query: Query = {}): string {
  const entries = Object.entries(query).flatMap(([name, value]) => (value == null ? [] : [[name, `${value}`]]))
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}
