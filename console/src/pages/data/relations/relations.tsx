import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { plural } from '../../../base/format.ts'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Body, Section } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { asFailure } from '../../../requests/failure.ts'
import { readOnly } from '../../../requests/mode.ts'
import { type TableName, tableLabel } from '../../../server/names.ts'
import { entryOf, metadataQuery } from '../../../server/queries.ts'
import { remoteSchemasOf } from '../../../server/remote-schemas.ts'
import { pathOf, To, useUrlState } from '../../../shell/navigation.tsx'
import type { TableInfo } from '../table-info.ts'
import { AddDialog } from './add-dialog.tsx'
import { type Example, examplesQuery } from './examples.ts'
import { Item } from './item.tsx'
import css from './relations.module.css'
import { pairsText, remoteRelationships, type TableRelationship, tableRelationships } from './relationships.ts'
import { RemoteTry } from './remote-try.tsx'
import { RemoveDialog } from './remove-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { Suggested, useSuggestions } from './suggested.tsx'

/** The relationships of a table: those it has, those its foreign keys suggest, and new ones. */
export default function Relations({ info }: { readonly info: TableInfo }) {
  const metadata = useQuery(metadataQuery)
  const suggestions = useSuggestions(info.name)
  const [dialog, setDialog] = useUrlState('edit')
  const canEdit = useStore(readOnly) === null
  const entry = metadata.data && entryOf(metadata.data, info.name)
  const tracked = useMemo(() => (entry ? tableRelationships(entry, info) : []), [entry, info])
  const suggested = suggestions.data ?? []
  const examples = useQuery({
    ...examplesQuery(info, [
      ...tracked.map(({ to, columns }) => ({ to, columns })),
      ...suggested.map(({ to, columns }) => ({ to, columns })),
    ]),
    enabled: entry !== undefined && suggestions.isFetched && tracked.length + suggested.length > 0,
  })
  if (metadata.isPending) return <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  if (!entry) return <Empty title="This table is not tracked">Track it to give it relationships.</Empty>
  const remote = remoteRelationships(entry)
  const count = tracked.length + remote.length
  const exampleAt = (index: number) => (examples.isError ? examples.error : examples.data?.[index])
  const [verb = '', ...rest] = dialog.split(' ')
  const name = rest.join(' ')
  const chosen = [...tracked, ...remote].find((each) => each.name === name)
  const close = () => setDialog('')
  const buttons = ({ name: of, isToSource }: TableRelationship): ReactNode =>
    canEdit && (
      <>
        {!isToSource && (
          <Button look="quiet" aria-label={`Rename ${of}`} onClick={() => setDialog(`rename ${of}`)}>
            Rename
          </Button>
        )}
        <Button look="quiet" aria-label={`Remove ${of}`} onClick={() => setDialog(`remove ${of}`)}>
          Remove
        </Button>
      </>
    )
  return (
    <Body>
      <Section
        title={count === 0 ? 'Relationships' : plural(count, 'relationship')}
        actions={
          canEdit && (
            <Button icon={<Plus aria-hidden />} onClick={() => setDialog('add')}>
              Add relationship
            </Button>
          )
        }
      >
        {count === 0 && (
          <p className={css['note']}>
            A relationship adds the rows of another table to the rows of this one, in GraphQL, rules and filters.
          </p>
        )}
        <ul className={css['list']} aria-label="Relationships">
          {tracked.map((each, index) => (
            <Item
              key={each.name}
              name={each.name}
              kind={each.kind === 'array' ? 'many' : 'one'}
              note={[pairsText(each.columns), each.isManual ? 'manual' : '', each.comment].filter(Boolean).join(', ')}
              to={<TableLink table={each.to} />}
              example={<ExampleText example={exampleAt(index)} />}
              actions={buttons(each)}
            />
          ))}
          {remote.map((each) => (
            <Item
              key={each.name}
              name={each.name}
              kind="remote"
              note={`$${each.columns.join(', $')}`}
              to={`${each.remoteSchema}: ${pathText(each.field)}`}
              example={
                <RemoteTry
                  info={info}
                  field={each.field}
                  schema={remoteSchemasOf(metadata.data).find((schema) => schema.name === each.remoteSchema)}
                />
              }
              actions={
                canEdit && (
                  <>
                    <Button
                      look="quiet"
                      aria-label={`Change ${each.name}`}
                      onClick={() => setDialog(`change ${each.name}`)}
                    >
                      Change
                    </Button>
                    <Button
                      look="quiet"
                      aria-label={`Remove ${each.name}`}
                      onClick={() => setDialog(`remove ${each.name}`)}
                    >
                      Remove
                    </Button>
                  </>
                )
              }
            />
          ))}
        </ul>
      </Section>
      <Suggested
        {...{ suggestions, canEdit }}
        base={metadata.data}
        table={info.name}
        example={(index) => <ExampleText example={exampleAt(tracked.length + index)} />}
      />
      {(verb === 'add' || (verb === 'change' && remote.some((each) => each.name === name))) && (
        <AddDialog
          {...{ info, entry }}
          base={metadata.data}
          changed={verb === 'change' ? remote.find((each) => each.name === name) : undefined}
          isRemote={verb === 'change' || name === 'remote'}
          onClose={close}
        />
      )}
      {verb === 'rename' && chosen && (
        <RenameDialog table={info.name} entry={entry} name={name} base={metadata.data} onClose={close} />
      )}
      {verb === 'remove' && chosen && (
        <RemoveDialog
          {...{ name, entry }}
          table={info.name}
          base={metadata.data}
          isRemote={'remoteSchema' in chosen || chosen.isToSource === true}
          onClose={close}
        />
      )}
    </Body>
  )
}

/** The fields of a remote field on the way to its value. */
const pathText = (field: Readonly<Record<string, { readonly field?: object }>>): string =>
  Object.entries(field)
    .map(([name, { field: inner }]) => (inner ? `${name}.${pathText(inner as never)}` : name))
    .join('')

const TableLink = ({ table }: { readonly table: TableName }) => (
  <To path={pathOf('data', table.schema, table.name, 'relations')}>{tableLabel(table)}</To>
)

/** An example in a line; undefined: it is being read. */
const ExampleText = ({ example }: { readonly example: Example | undefined | unknown }) => {
  if (example === undefined) return <span className={css['note']}>…</span>
  if (example === null) return <span className={css['note']}>no related row in the first ones</span>
  if (example instanceof Error) return <span className={css['note']}>no example: {asFailure(example).message}</span>
  const { from, to } = example as NonNullable<Example>
  return (
    <>
      <span>{from}</span>
      <span className={css['note']}> → </span>
      <span>{to.join(', ')}</span>
    </>
  )
}
