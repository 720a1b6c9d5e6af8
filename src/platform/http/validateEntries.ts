import { type Endpoint, type FieldError, validate } from '../../contract/index.ts'
import { maxErrors } from '../domain/problem.ts'
import { mapInSlices } from '../mapInSlices.ts'

type Entries = NonNullable<NonNullable<Endpoint['body']>['entries']>

/** Validates the entries of `data` one by one, with pauses, so that other requests do not wait for all of them. */
export async function validateEntries(
  { schema }: Entries,
  entries: unknown[],
): Promise<{ output: { data: unknown[] } } | { errors: FieldError[] }> {
  const errors: FieldError[] = []
  const data = await mapInSlices(entries, (entry, index) => {
    if (errors.length >= maxErrors) return undefined
    const result = validate(schema, entry)
    if ('output' in result) return result.output
    for (const { pointer, ...error } of result.errors)
      errors.push({ pointer: `/data/${index}${pointer}`, ...error, index })
    return undefined
  })
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : { output: { data } }
}
