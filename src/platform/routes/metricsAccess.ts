/**
 * Who can read the metrics: this machine and trusted proxies themselves, everybody, or nobody. In its own file so that
 * public types do not depend on Hono.
 */
export type MetricsAccess = 'local' | 'all' | 'off'
