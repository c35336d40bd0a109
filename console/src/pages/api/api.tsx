import { CodeXml, Columns2, FolderPlus, History } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DraftTabs } from '../../parts/draft-tabs.tsx'
import { Select } from '../../parts/field.tsx'
import { HistoryDialog } from '../../parts/history-dialog.tsx'
import { Page, Toolbar } from '../../parts/page.tsx'
import { identity } from '../../requests/identity.ts'
import { readOnly } from '../../requests/mode.ts'
import { usePlugin } from '../../server/queries.ts'
import { To, useUrlState } from '../../shell/navigation.tsx'
import css from './api.module.css'
import { CodeDialog } from './code-dialog.tsx'
import { drafts } from './drafts.ts'
import { Explorer } from './explorer.tsx'
import { history } from './history.ts'
import { type GraphqlRequest, namesIn, titleOf, variablesIn } from './operations.ts'
import { ResultView } from './result.tsx'
import { type Outcome, useRequests } from './running.ts'
import { useTabIdentity } from './tab-identity.ts'
import { TwoRoles } from './two-roles.tsx'

const Collecting = lazy(() => import('./collecting.tsx'))

/** GraphQL: operations that are kept, with variables, results, plans and code. */
export default function Api() {
  const [chosen, setChosen] = useUrlState('tab')
  const [isExploring, setExploring] = useUrlState('explorer')
  const [isHistoryOpen, setHistoryOpen] = useState(false)
  const requests = useRequests()
  const { role } = useStore(identity)
  const hasRest = usePlugin('rest-endpoints')
  return (
    <Page
      title="API"
      note={`GraphQL as ${role ?? 'the administrator'}`}
      actions={
        <>
          {hasRest && <To path="api/rest">REST endpoints</To>}
          <To path="api/operations">All operations</To>
          <Button look="quiet" icon={<History aria-hidden />} onClick={() => setHistoryOpen(true)}>
            History
          </Button>
          <Button aria-pressed={isExploring !== ''} onClick={() => setExploring(isExploring === '' ? 'open' : '')}>
            {isExploring === '' ? 'Open the explorer' : 'Close the explorer'}
          </Button>
        </>
      }
    >
      <DraftTabs {...{ drafts, chosen, titleOf }} onChoose={setChosen}>
        {(draft) => (
          <div className={css['page']}>
            {isExploring !== '' && (
              <Explorer
                onInsert={(text) =>
                  drafts.change(draft.id, {
                    text: draft.text.trim() === '' ? text : `${draft.text.trimEnd()}\n\n${text}`,
                  })
                }
              />
            )}
            <Draft
              key={draft.id}
              id={draft.id}
              text={draft.text}
              variables={draft.more['variables'] ?? ''}
              outcome={requests.outcomes[draft.id]}
              onText={(text) => drafts.change(draft.id, { text })}
              onVariables={(variables) => drafts.change(draft.id, { more: { ...draft.more, variables } })}
              onSend={(request, mode) => void requests.start(draft.id, { request, mode })}
            />
          </div>
        )}
      </DraftTabs>
      {isHistoryOpen && (
        <HistoryDialog
          ran={history}
          onClose={() => setHistoryOpen(false)}
          onOpen={({ text, more = '' }) => {
            setHistoryOpen(false)
            setChosen(drafts.add(text, { variables: more }))
          }}
        />
      )}
    </Page>
  )
}

interface DraftProps {
  readonly id: string
  readonly text: string
  readonly variables: string
  readonly outcome: Outcome | undefined
  onText(text: string): void
  onVariables(text: string): void
  onSend(request: GraphqlRequest, mode: 'run' | 'explain' | 'analyze'): void
}

function Draft({ id, text, variables, outcome, onText, onVariables, onSend }: DraftProps) {
  useTabIdentity(id)
  const [given, setName] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const [coded, setCoded] = useState<GraphqlRequest | null>(null)
  const [twin, setTwin] = useUrlState('twin')
  const [isCollecting, setCollecting] = useState(false)
  const canCollect = useStore(readOnly) === null
  const hasCollections = usePlugin('collections')
  const names = namesIn(text)
  const name = names.includes(given) ? given : names[0]
  const requestOf = (query: string): GraphqlRequest | null => {
    try {
      const values = variablesIn(variables)
      setFault(null)
      return { query, ...(values && { variables: values }), ...(name !== undefined && { operationName: name }) }
    } catch (error) {
      setFault(`Variables: ${error instanceof Error ? error.message : String(error)}`)
      return null
    }
  }
  const send = (mode: 'run' | 'explain' | 'analyze', query = text) => {
    const request = query.trim() === '' ? null : requestOf(query)
    if (request) onSend(request, mode)
  }
  const isEmpty = text.trim() === ''
  return (
    <div className={css['halves']}>
      <div className={css['editors']}>
        <div className={css['query']}>
          <Code
            label="Operation"
            language="graphql"
            fills
            value={text}
            placeholder="query { … }"
            onChange={onText}
            onRun={(query) => send('run', query)}
          />
        </div>
        <div className={css['variables']}>
          <h2 className={css['label']}>Variables</h2>
          <Code
            label="Variables"
            language="json"
            fills
            value={variables}
            onChange={onVariables}
            onRun={() => send('run')}
          />
        </div>
        <div className={css['send']}>
          <Toolbar label="Send">
            {names.length > 1 && (
              <div className={css['choice']}>
                <Select<string>
                  label="Operation to send"
                  isLabelHidden
                  value={name ?? ''}
                  options={names.map((value) => ({ value, label: value }))}
                  onChange={setName}
                />
              </div>
            )}
            <Button
              look={twin === '' ? 'main' : 'plain'}
              disabled={isEmpty}
              title="Ctrl+Enter"
              onClick={() => send('run')}
            >
              Send operation
            </Button>
            <Button disabled={isEmpty} onClick={() => send('explain')}>
              Explain
            </Button>
            <Button disabled={isEmpty} onClick={() => send('analyze')}>
              Explain and measure
            </Button>
            <Button
              isFolding
              title={twin === '' ? 'As two roles' : 'As one role'}
              icon={<Columns2 aria-hidden />}
              aria-pressed={twin !== ''}
              onClick={() => setTwin(twin === '' ? 'open' : '')}
            >
              {twin === '' ? 'As two roles' : 'As one role'}
            </Button>
            <Button
              isFolding
              title="Code"
              icon={<CodeXml aria-hidden />}
              disabled={isEmpty}
              onClick={() => setCoded(requestOf(text))}
            >
              Code
            </Button>
            {canCollect && hasCollections && (
              <Button
                isFolding
                title="Add to a collection"
                icon={<FolderPlus aria-hidden />}
                disabled={isEmpty}
                onClick={() => setCollecting(true)}
              >
                Add to a collection
              </Button>
            )}
            {fault && (
              <p role="alert" className={css['fault']}>
                {fault}
              </p>
            )}
          </Toolbar>
        </div>
      </div>
      <div className={css['result']}>
        {twin === '' ? (
          <ResultView outcome={outcome} />
        ) : (
          <TwoRoles request={() => (isEmpty ? null : requestOf(text))} />
        )}
      </div>
      {isCollecting && (
        <Suspense>
          <Collecting query={text} onClose={() => setCollecting(false)} />
        </Suspense>
      )}
      {coded && <CodeDialog request={coded} onClose={() => setCoded(null)} />}
    </div>
  )
}
