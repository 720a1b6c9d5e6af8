import { RegExpRouter } from 'hono/router/reg-exp-router'
import { getPath, tryDecodeURIComponent } from 'hono/utils/url'
import type { HttpResponse, Middleware, RequestContext } from './requestContext.ts'

/** What a path does for one method. */
export interface RouteOperation {
  /** The largest body that it accepts. */
  maxBytes?: number | undefined
  /** Runs in this order; the first that throws ends the request. */
  middleware: readonly Middleware[]
  run: (context: RequestContext) => HttpResponse | Promise<HttpResponse>
}

/** A path with its methods; a path without methods is unknown. */
export interface Route {
  template: string
  /** Matches paths that a template cannot express, with named groups as parameters. */
  pattern?: RegExp
  /** Middleware that runs even before the size is checked. It must not throw a problem. */
  before: readonly Middleware[]
  operations: ReadonlyMap<string, RouteOperation>
}

/** Finds the route and the parameters of a request's path. */
export type FindRoute = (request: Request) => { route: Route; parameters: Record<string, string> } | null

/** Matches a path by one regular expression made from all templates, then by the patterns. */
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
