import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema, OpenApi } from './openapi/document.ts'

export interface Schemas {
  /** What is wrong with a value by a schema that stands in the document, sentence by sentence. */
  problemsOf(schema: JsonSchema, value: unknown): string[]
}

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  'idn-email': /^[^@]+@[^@]+$/,
}

/** The schemas of a document, to check values with. */
export function createSchemas(document: OpenApi): Schemas {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true, formats })
  const local = (schema: object): JsonSchema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/')) as JsonSchema
  ajv.addSchema(local({ $defs: document.components.schemas }), 'document')
  const compiled = new Map<JsonSchema, ValidateFunction>()
  const compile = (schema: JsonSchema): ValidateFunction => {
    const validate = ajv.compile(local(schema))
    compiled.set(schema, validate)
    return validate
  }
  return {
    problemsOf(schema, value) {
      const validate = compiled.get(schema) ?? compile(schema)
      validate(value)
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
      )
    },
  }
}
