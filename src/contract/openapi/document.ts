/** A JSON Schema of the 2020-12 dialect. */
export type JsonSchema = Record<string, unknown>

export interface Reference {
  $ref: string
}

export interface ParameterObject {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  required?: boolean
  schema: JsonSchema
  example?: unknown
}

export type HeaderObject = Pick<ParameterObject, 'description' | 'required' | 'schema'>

export interface ExampleObject {
  summary?: string
  value: unknown
}

export interface MediaType {
  schema: JsonSchema
  examples?: Record<string, ExampleObject | Reference>
}

/** A body with one example. */
export const withExample = (schema: JsonSchema, value: unknown): MediaType => ({
  schema,
  examples: { example: { value } },
})

export interface ResponseObject {
  description: string
  headers: Record<string, HeaderObject | Reference>
  content?: Record<string, MediaType>
}

export interface RequestBody {
  description?: string
  required: boolean
  content: Record<string, MediaType>
}

export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: Record<string, string[]>[]
  parameters: (ParameterObject | Reference)[]
  requestBody?: RequestBody
  responses: Record<string, ResponseObject | Reference>
}

export type HttpMethod = 'get' | 'put' | 'post' | 'patch' | 'delete'
export type PathItem = Partial<Record<HttpMethod, Operation>>

/** The parts of an OpenAPI 3.1 document that are used. */
export interface OpenApi {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    summary: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, PathItem>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, ResponseObject>
    parameters: Record<string, ParameterObject>
    headers: Record<string, HeaderObject>
    examples: Record<string, ExampleObject>
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; description: string }>
  }
}

/** Resolves a reference within the document; returns other values unchanged. */
export function resolved<Part extends object>(document: OpenApi, part: Part | Reference): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as Part
  const steps = part.$ref.slice(2).split('/')
  const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
  if (target === undefined) throw new TypeError(`The document does not hold ${part.$ref}`)
  return target as Part
}
