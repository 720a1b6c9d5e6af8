import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema, OpenApi } from '../openapi/document.ts'

export interface SchemaValidator {
  /** The violations of a schema by a value, as sentences. */
  problemsOf(schema: JsonSchema, value: unknown): string[]
}

const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  'idn-email': /^[^@]+@[^@]+$/,
}

/** Validates values against the schemas of a document. */
export function createSchemaValidator(document: OpenApi): SchemaValidator {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true, formats })
  const local = (schema: object): JsonSchema =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/')) as JsonSchema
  ajv.addSchema(local({ $defs: document.components.schemas }), 'document')
  // Cached by content: a schema object created for each value would be compiled and kept each time.
  const compiled = new Map<string, ValidateFunction>()
  const known = new WeakMap<JsonSchema, ValidateFunction>()
  const find = (schema: JsonSchema): ValidateFunction => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile(local(schema))
    compiled.set(text, validate)
    known.set(schema, validate)
    return validate
  }
  return {
    problemsOf(schema, value) {
      const validate = known.get(schema) ?? find(schema)
      validate(value)
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
      )
    },
  }
}
