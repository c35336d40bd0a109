// The page: who asks, in a bar of ours, above GraphiQL.

import { styleWithNonce } from './style-nonce.ts'
import './workers.ts'
import 'graphiql/style.css'
import './page.css'
import { GraphiQL } from 'graphiql'
import { useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createFetcher } from './fetcher.ts'
import { headersOf, type Identity, keepIdentity, keptIdentity, namesOf } from './identity.ts'
import { IdentityBar } from './identity-bar.tsx'
import { createStorage } from './storage.ts'

const welcome = `# Ask here, and press Ctrl-Enter. The bar above says who asks: the schema beside it is the role's.
#
# subscription shows a result again whenever it changes.

`

const names = namesOf(document)
const storage = createStorage(localStorage)
// The schema is open until somebody closes it, which GraphiQL remembers.
const shown = localStorage.getItem('graphiql:visiblePlugin') === null ? 'Documentation Explorer' : undefined

function Page() {
  const [identity, setIdentity] = useState<Identity>(() => keptIdentity(localStorage))
  // GraphiQL fetches the schema again for another fetcher.
  const fetcher = useMemo(() => createFetcher(headersOf(identity, names)), [identity])
  const ask = (asked: Identity) => {
    keepIdentity(localStorage, asked)
    setIdentity(asked)
  }
  return (
    <>
      <IdentityBar names={names} identity={identity} onAsk={ask} />
      <GraphiQL
        fetcher={fetcher}
        storage={storage}
        shouldPersistHeaders={false}
        visiblePlugin={shown}
        defaultQuery={welcome}
      >
        <GraphiQL.Logo>
          <span className="trellis-logo">Trellis</span>
        </GraphiQL.Logo>
      </GraphiQL>
    </>
  )
}

styleWithNonce(document)
const root = document.getElementById('root')
if (root) createRoot(root).render(<Page />)
