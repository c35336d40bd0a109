// The addresses of all pages.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { FunctionComponent } from 'react'
import { consolePath } from '../base/facts.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Failed } from '../parts/states.tsx'
import type { ConsolePage } from './contract.ts'
import { To } from './navigation.tsx'

const NotFound = () => (
  <Page title="There is nothing at this address">
    <Empty title="" actions={<To path="">Go to the start page</To>}>
      The link may be of another version of the console.
    </Empty>
  </Page>
)

/** The router over the pages; the first page is also at the root. */
export function routerOf(pages: readonly ConsolePage[], frame: FunctionComponent) {
  const root = createRootRoute({ component: frame, notFoundComponent: NotFound })
  const all = pages.flatMap(({ routes }, index) => (index === 0 ? [{ ...routes[0]!, path: '/' }, ...routes] : routes))
  const children = all.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) }),
  )
  return createRouter({
    routeTree: root.addChildren(children),
    basepath: consolePath,
    defaultErrorComponent: ({ error, reset }) => <Failed error={error} onRetry={reset} />,
    // Queries are texts, which people can read and edit.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(search as Record<string, string>).toString()
      return text === '' ? '' : `?${text}`
    },
  })
}
