import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { FilterField } from '../../parts/filter-field.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { type Identity, identity } from '../../requests/identity.ts'
import css from './api.module.css'
import { readRoots, readType } from './introspection.ts'
import { operationFor, type SchemaField, typeText } from './schema.ts'

/** Fields of a type that are shown at once. */
const shownFields = 200

/** A type of the role's schema; each is read when it is first opened, never the whole schema. */
const useType = (name: string, as: Identity) =>
  useQuery({
    queryKey: ['type', name, as],
    staleTime: 60_000,
    queryFn: ({ signal }) => readType(name, as, signal),
  })

/** The schema of the identity, type by type. */
export function Explorer({ onInsert }: { onInsert(text: string): void }) {
  const as = useStore(identity)
  const [filter, setFilter] = useState('')
  const key = ['roots', as]
  const roots = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readRoots(as, signal),
  })
  const kinds = { query: 'queryType', mutation: 'mutationType', subscription: 'subscriptionType' } as const
  return (
    <aside className={css['explorer']} aria-label="Explorer">
      <div className={css['search']}>
        <FilterField label="Filter root fields" value={filter} onChange={setFilter} />
      </div>
      {roots.isPending && <Loading label="Reading the schema" queryKey={key} />}
      {roots.isError && <Failed error={roots.error} onRetry={() => void roots.refetch()} />}
      {roots.data &&
        Object.entries(kinds).map(([operation, member]) => {
          const root = roots.data[member]
          return (
            root && (
              <Root
                key={operation}
                operation={operation}
                type={root.name}
                as={as}
                filter={filter}
                onInsert={onInsert}
              />
            )
          )
        })}
    </aside>
  )
}

interface RootProps {
  readonly operation: string
  readonly type: string
  readonly as: Identity
  readonly filter: string
  onInsert(text: string): void
}

function Root({ operation, type, as, filter, onInsert }: RootProps) {
  const [isOpen, setOpen] = useState(operation === 'query')
  return (
    <section>
      <button type="button" className={css['fold']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden>{isOpen ? '▾' : '▸'}</span> <strong>{operation}</strong>
      </button>
      {isOpen && <Members type={type} as={as} filter={filter} insertAs={operation} onInsert={onInsert} />}
    </section>
  )
}

interface MembersProps {
  readonly type: string
  readonly as: Identity
  readonly filter?: string
  /** The operation of these root fields; absent: they are not root fields. */
  readonly insertAs?: string
  onInsert?(text: string): void
}

function Members({ type: name, as, filter = '', insertAs, onInsert }: MembersProps) {
  const type = useType(name, as)
  const [shown, setShown] = useState(shownFields)
  if (type.isPending) return <Loading label={`Reading ${name}`} queryKey={['type', name, as]} />
  if (type.isError) return <Failed error={type.error} onRetry={() => void type.refetch()} />
  const needle = filter.trim().toLowerCase()
  const fields = (type.data?.fields ?? type.data?.inputFields ?? []).filter((field) =>
    field.name.toLowerCase().includes(needle),
  )
  return (
    <ul className={css['members']}>
      {fields.slice(0, shown).map((field) => (
        <Member
          key={field.name}
          field={field}
          as={as}
          {...(insertAs && { insertAs })}
          {...(onInsert && { onInsert })}
        />
      ))}
      {type.data?.enumValues?.map((value) => (
        <li key={value.name} title={value.description ?? undefined}>
          {value.name}
        </li>
      ))}
      {fields.length > shown && (
        <li>
          <Button look="quiet" onClick={() => setShown(shown + shownFields)}>
            Show more fields
          </Button>
        </li>
      )}
      {fields.length === 0 && !type.data?.enumValues && <li className={css['note']}>no fields</li>}
    </ul>
  )
}

function Member({ field, as, insertAs, onInsert }: Omit<MembersProps, 'type'> & { readonly field: SchemaField }) {
  const [isOpen, setOpen] = useState(false)
  const { text, name, isLeaf } = typeText(field.type)
  const args = field.args ?? []
  const insert = async () => {
    const inner = isLeaf ? null : await readType(name, as, new AbortController().signal)
    onInsert?.(operationFor(insertAs ?? 'query', field, inner))
  }
  return (
    <li>
      <div className={css['line']}>
        <button
          type="button"
          className={css['fold']}
          aria-expanded={isOpen}
          title={field.description ?? undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden>{isOpen ? '▾' : '▸'}</span> {field.name}: <span className={css['type']}>{text}</span>
        </button>
        {insertAs && (
          <Button look="quiet" aria-label={`Insert ${field.name}`} onClick={() => void insert()}>
            Insert
          </Button>
        )}
      </div>
      {isOpen && (
        <>
          {field.description && <p className={css['note']}>{field.description}</p>}
          {args.length > 0 && (
            <ul className={css['members']} aria-label={`Arguments of ${field.name}`}>
              {args.map((arg) => (
                <Member key={arg.name} field={arg} as={as} />
              ))}
            </ul>
          )}
          {!isLeaf && <Members type={name} as={as} />}
        </>
      )}
    </li>
  )
}
