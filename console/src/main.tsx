// The start of the console.

import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/tokens.css'
import './styles/fonts.css'
import './styles/forced-colors.css'
import { followDensity } from './base/density.ts'
import { nonce } from './base/facts.ts'
import { pages } from './pages/index.ts'
import { followFeed } from './server/feed.ts'
import { queries } from './server/queries.ts'
import { frameOf } from './shell/frame.tsx'
import { endIdleSessions } from './shell/idle.ts'
import { routerOf } from './shell/router.tsx'
import { followTheme } from './shell/theme.ts'

followTheme()
followDensity()
endIdleSessions()
followFeed()
const router = routerOf(pages, frameOf(pages))

createRoot(document.querySelector('#console')!).render(
  <StrictMode>
    <CSPProvider nonce={nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
