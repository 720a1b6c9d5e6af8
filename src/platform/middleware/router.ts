import { RegExpRouter } from 'hono/router/reg-exp-router'
import { getPath, tryDecodeURIComponent } from 'hono/utils/url'
import type { HttpResponse, Middleware, RequestContext } from './requestContext.ts'

/** What a path does by one of its methods. */
export interface RouteOperation {
  /** The largest body it takes. */
  maxBytes?: number | undefined
  /** One after the other: the first that throws refuses the request. */
  middleware: readonly Middleware[]
  run: (context: RequestContext) => HttpResponse | Promise<HttpResponse>
}

/** A path with its methods; one without any is as unknown as one that is not there. */
export interface Route {
  template: string
  /** Matches the path where a template can't: by named groups. */
  pattern?: RegExp
  /** What comes even before the size: it must not refuse. */
  before: readonly Middleware[]
  operations: ReadonlyMap<string, RouteOperation>
}

/** Finds the route of a request's path, and the path's parameters. */
export type FindRoute = (request: Request) => { route: Route; parameters: Record<string, string> } | null

/** Looks paths up in one expression made of all templates, the first of those that match, and then by the patterns. */
export function createFindRoute(routes: Route[]): FindRoute {
  const router = new RegExpRouter<Route>()
  for (const route of routes) if (!route.pattern) router.add('ALL', route.template.replace(/\{(\w+)\}/g, ':$1'), route)
  const byPattern = routes.filter(({ pattern }) => pattern)

  return request => {
    const path = getPath(request)
    const [[first], values = []] = router.match('ALL', path)
    if (first) {
      const parameters: Record<string, string> = {}
      for (const name in first[1]) parameters[name] = decoded(values[Number(first[1][name])])
      return { route: first[0], parameters }
    }
    for (const route of byPattern) {
      const { groups } = route.pattern?.exec(path) ?? {}
      const parameters = Object.entries(groups ?? {}).map(([name, value]) => [name, decoded(value)])
      if (groups) return { route, parameters: Object.fromEntries(parameters) }
    }
    return null
  }
}

const decoded = (text = ''): string => (text.includes('%') ? tryDecodeURIComponent(text) : text)
