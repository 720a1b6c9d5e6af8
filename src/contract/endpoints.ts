import type * as v from 'valibot'
import { contactEndpoints } from './endpoints/contacts.ts'
import { contactTokenEndpoints } from './endpoints/contactTokens.ts'
import { conversationEndpoints } from './endpoints/conversations.ts'
import { deskEndpoints } from './endpoints/desk.ts'
import { widgetEndpoints } from './endpoints/widget.ts'

/** Every endpoint for servers and widgets by name. */
export const endpoints = {
  ...contactTokenEndpoints,
  ...contactEndpoints,
  ...conversationEndpoints,
  ...widgetEndpoints,
}

export type EndpointName = keyof typeof endpoints

/** Every endpoint of the platform: also those of the desk, which the OpenAPI document does not have. */
export const routes = { ...endpoints, ...deskEndpoints }

export type RouteName = keyof typeof routes
type Row<Name extends RouteName> = (typeof routes)[Name]

/** The parsed body of a request, or `undefined` if the endpoint has none. */
export type BodyOf<Name extends RouteName> =
  Row<Name> extends { body: { schema: infer Schema extends v.GenericSchema } } ? v.InferOutput<Schema> : undefined
/** What a client sends as the body. */
export type BodyInputOf<Name extends RouteName> =
  Row<Name> extends { body: { schema: infer Schema extends v.GenericSchema } } ? v.InferInput<Schema> : undefined
/** The parsed query of a request, or `undefined` if the endpoint has none. */
export type QueryOf<Name extends RouteName> =
  Row<Name> extends { query: infer Schema extends v.GenericSchema } ? v.InferOutput<Schema> : undefined
/** The JSON body of the success response, or `undefined` if there is none. */
export type ResponseOf<Name extends RouteName> =
  Row<Name> extends { success: { schema: infer Schema extends v.GenericSchema } } ? v.InferOutput<Schema> : undefined

/** The path of an endpoint with its parameters filled in and percent-encoded. */
export function pathOf(name: RouteName, parameters: Record<string, string>): string {
  return routes[name].path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = parameters[key]
    // URL parsers remove these, encoded or not, so the request would go to another endpoint.
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new TypeError(`Path parameter ${key} of ${name} is missing`)
    }
    return encodeURIComponent(value)
  })
}
