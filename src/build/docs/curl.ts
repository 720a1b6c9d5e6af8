import { type OpenApi, type Operation, type ParameterObject, resolved } from '../../contract/openapi/document.ts'

/** Variables that a reader sets once. Then every command can be copied as it is. */
export const variables = `export BASE=https://chat.example
export TOKEN=ORGANIZATION_TOKEN
export BOT=BOT_ID
export CONTACT=CONTACT_ID
export CONTACT_TOKEN=c:…
export CONVERSATION=CONVERSATION_ID`

const variableOf: Record<string, string> = {
  botId: '$BOT',
  contactId: '$CONTACT',
  contactToken: '$CONTACT_TOKEN',
  conversationId: '$CONVERSATION',
}

/** A command that calls an operation with one of its example bodies. */
export function curl(
  document: OpenApi,
  { method, path, operation, body }: { method: string; path: string; operation: Operation; body?: unknown },
): string {
  const parameters = operation.parameters.map(parameter => resolved(document, parameter))
  const [scheme] = operation.security.flatMap(required => Object.keys(required))
  const isStream = JSON.stringify(operation.responses).includes('text/event-stream')
  const lines = [
    `curl ${isStream ? '-N ' : ''}${method === 'GET' ? '' : `-X ${method} `}"$BASE${filled(path, parameters)}${queryOf(parameters)}"`,
    ...(scheme ? [`-H "Authorization: Bearer ${scheme === 'organization' ? '$TOKEN' : '$CONTACT_TOKEN'}"`] : []),
    ...(body === undefined
      ? []
      : [
          '-H "Content-Type: application/json"',
          `-d ${quoted(JSON.stringify(body, null, 2).replaceAll('\n', '\n  '))}`,
        ]),
  ]
  return lines.join(' \\\n  ')
}

function filled(path: string, parameters: ParameterObject[]): string {
  const example = (key: string) => String(parameters.find(({ name }) => name === key)?.example ?? key)
  return path.replace(/\{(\w+)\}/g, (_, key: string) => variableOf[key] ?? example(key))
}

/** The query parameters that have an example. The others are optional. */
function queryOf(parameters: ParameterObject[]): string {
  const given = parameters.filter(parameter => parameter.in === 'query' && parameter.example !== undefined)
  const pairs = given.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
