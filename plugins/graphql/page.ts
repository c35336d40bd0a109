// The page that a browser shows when it opens a path of GraphQL.

import { type RouteCall, type RouteRequest, wantsHtml } from '../../sdk/http.ts'
import type { Engine } from '../../sdk/index.ts'

/**
 * Whether a browser opens the path as a page: it accepts HTML, and the request has no query or comes from a page of
 * another site. Such a page could otherwise run any query.
 */
export function isForBrowser(request: RouteRequest): boolean {
  if (!wantsHtml(request)) return false
  const { headers, query } = request
  const site = headers['sec-fetch-site']
  return query['query'] === undefined || site === 'cross-site' || site === 'same-site'
}

/** Explains the use of this URL. */
export function browserPage(
  { dialect, routes }: Pick<Engine, 'dialect' | 'routes'>,
  reply: RouteCall['reply'],
): string {
  reply.raw.appendHeader('vary', 'Accept')
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  const hasPage = routes.all().some(({ url }) => url === '/graphiql')
  const graphiql = hasPage
    ? '<p>To try it in the browser, open <a href="../graphiql">GraphiQL</a>.</p>'
    : '<p>To try it in the browser, start the server with <code>--enable-graphiql</code>.</p>'
  const byGet = dialect.graphqlOverHttp
    ? '<p>Queries may also stand in the URL: <code>?query={__typename}</code>.</p>'
    : ''
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>GraphQL</title>
<style>body { font: 1rem/1.5 sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem }</style>
<h1>This is a GraphQL endpoint</h1>
<p>Programs send a POST with <code>Content-Type: application/json</code> and
<code>{"query": "{ __typename }", "variables": {}}</code>.</p>
${byGet}
${graphiql}
</html>
`
}
