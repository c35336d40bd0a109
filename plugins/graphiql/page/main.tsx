// The page: who asks, in a bar of ours, above GraphiQL.

import { styleWithNonce } from './style-nonce.ts'
import './workers.ts'
import 'graphiql/style.css'
import './page.css'
import { GraphiQL } from 'graphiql'
import { useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createFetcher } from './fetcher.ts'
import { headersOf, type Identity, keepIdentity, keptIdentity, namesOf } from './identity.ts'
import { IdentityBar } from './identity-bar.tsx'
import { nothingKnown, readMetadata } from './metadata.ts'
import { createStorage } from './storage.ts'

const welcome = `# Ask here, and press Ctrl-Enter. The bar above says who asks: the schema beside it is the role's.
#
# subscription shows a result again whenever it changes.

`

const names = namesOf(document)
const storage = createStorage(localStorage)
// The schema is open until somebody closes it, which GraphiQL remembers.
const shown = localStorage.getItem('graphiql:visiblePlugin') === null ? 'Documentation Explorer' : undefined

/** How long the editor of headers rests until the schema is read again, in milliseconds. */
const headersRest = 800

/** Whether a text is complete, so that no half of a token is sent. */
function isComplete(headers: string): boolean {
  try {
    JSON.parse(headers === '' ? '{}' : headers)
    return true
  } catch {
    return false
  }
}

/** Says how to track tables while nothing is tracked. */
function EmptyNote() {
  const url = new URL('v1/query', document.baseURI).href
  return (
    <div className="note" role="status">
      Nothing is tracked yet, so there is nothing to ask for. Track the tables of your database:
      <code>{`curl ${url} -d '{"type": "track_tables", "args": {}}'`}</code>
      and open this page again.
    </div>
  )
}

function Page() {
  const [identity, setIdentity] = useState<Identity>(() => keptIdentity(localStorage))
  const [headers, setHeaders] = useState('')
  const [readFor, setReadFor] = useState('')
  const [known, setKnown] = useState(nothingKnown)
  // GraphiQL fetches the schema again for another fetcher, with the headers of its editor.
  const fetcher = useMemo(() => createFetcher(headersOf(identity, names)), [identity, readFor])
  useEffect(() => {
    if (headers === readFor || !isComplete(headers)) return
    const timer = setTimeout(() => setReadFor(headers), headersRest)
    return () => clearTimeout(timer)
  }, [headers, readFor])
  useEffect(() => {
    let isCurrent = true
    readMetadata(identity, names).then((read) => isCurrent && setKnown(read))
    return () => {
      isCurrent = false
    }
  }, [identity])
  const ask = (asked: Identity) => {
    keepIdentity(localStorage, asked)
    setIdentity(asked)
  }
  return (
    <>
      <IdentityBar names={names} identity={identity} roles={known.roles} onAsk={ask} />
      {known.isEmpty && <EmptyNote />}
      <GraphiQL
        fetcher={fetcher}
        storage={storage}
        shouldPersistHeaders={false}
        visiblePlugin={shown}
        defaultQuery={welcome}
        onEditHeaders={setHeaders}
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
