import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useStore } from '../../../base/store.ts'
import { Button } from '../../../parts/button.tsx'
import { Code } from '../../../parts/code.tsx'
import { Body, Section } from '../../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { type Identity, identity } from '../../../requests/identity.ts'
import { entryOf, type Metadata, metadataQuery, type TableEntry } from '../../../server/queries.ts'
import { useGo } from '../../../shell/navigation.tsx'
import { drafts } from '../../api/drafts.ts'
import { typeText } from '../../api/schema.ts'
import { List } from '../structure/list.tsx'
import { namelessText } from '../structure/names-dialog.tsx'
import type { TableInfo } from '../table-info.ts'
import { endpointsOf, examplesOf, fieldsOf, type TableField, textOf } from './table-fields.ts'

/** Opens an operation as a draft of the page API. */
function useOpen(): (text: string) => void {
  const go = useGo()
  return (text) => go(`api?tab=${encodeURIComponent(drafts.add(text))}`)
}

/** The root fields of a table for the chosen identity, with examples, and the REST endpoints that use them. */
export default function ApiTab({ info }: { readonly info: TableInfo }) {
  const { data, error, isPending, refetch } = useQuery(metadataQuery)
  if (isPending) return <Loading label="Reading the metadata" queryKey={metadataQuery.queryKey} />
  if (!data) return <Failed error={error} onRetry={() => void refetch()} />
  const entry = entryOf(data, info.name)
  if (!entry) {
    return <Empty title="This table is not tracked">It has fields in the GraphQL API once it is tracked.</Empty>
  }
  return <TableApi metadata={data} entry={entry} />
}

interface TableApiProps {
  readonly metadata: Metadata
  readonly entry: TableEntry
}

function TableApi({ metadata, entry }: TableApiProps) {
  const as = useStore(identity)
  const open = useOpen()
  const [fault, setFault] = useState<unknown>(null)
  const key = ['table-fields', entry.table, metadata.resource_version, as]
  const fields = useQuery({ queryKey: key, queryFn: ({ signal }) => fieldsOf(entry, as, signal) })
  if (fields.isPending) return <Loading label="Reading the root fields" queryKey={key} />
  if (!fields.data) return <Failed error={fields.error} onRetry={() => void fields.refetch()} />
  if (fields.data.length === 0) {
    return (
      <Empty title="No root field answers rows of this table">
        {as.role === null
          ? (namelessText(entry) ?? 'Its root fields are switched off.')
          : `The role ${as.role} has no permission on the table that gives it one. The tab Permissions has them.`}
      </Empty>
    )
  }
  const openField = async (field: TableField) => {
    try {
      open(await textOf(field, as, new AbortController().signal))
    } catch (error) {
      setFault(error)
    }
  }
  return (
    <Body>
      {fault !== null && <Failed error={fault} />}
      <Section title="Root fields">
        <List
          label="Root fields"
          heads={['Name', 'Operation', 'Answers']}
          rows={fields.data.map((each) => ({
            key: `${each.kind} ${each.field.name}`,
            cells: [each.field.name, each.kind, <code key="type">{typeText(each.field.type).text}</code>],
            actions: (
              <Button
                look="quiet"
                aria-label={`Open ${each.field.name} as a ${each.kind}`}
                onClick={() => void openField(each)}
              >
                Open
              </Button>
            ),
          }))}
        />
      </Section>
      <Examples fields={examplesOf(fields.data)} as={as} onOpen={open} />
      <Endpoints metadata={metadata} fields={fields.data} />
    </Body>
  )
}

interface ExamplesProps {
  readonly fields: readonly TableField[]
  readonly as: Identity
  onOpen(text: string): void
}

function Examples({ fields, as, onOpen }: ExamplesProps) {
  const key = ['table-examples', fields, as]
  const texts = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => Promise.all(fields.map((field) => textOf(field, as, signal))),
  })
  if (texts.isPending) return <Loading label="Reading the types" queryKey={key} />
  if (!texts.data) return <Failed error={texts.error} onRetry={() => void texts.refetch()} />
  return fields.map(({ kind }, at) => (
    <Section
      key={kind}
      title={`A ${kind}`}
      actions={<Button onClick={() => onOpen(texts.data[at]!)}>Open {kind} in API</Button>}
    >
      <Code label={`Example of a ${kind}`} language="graphql" value={texts.data[at]!} />
    </Section>
  ))
}

function Endpoints({ metadata, fields }: { readonly metadata: Metadata; readonly fields: readonly TableField[] }) {
  const endpoints = endpointsOf(metadata, new Set(fields.map(({ field }) => field.name)))
  if (endpoints.length === 0) return null
  return (
    <Section title="REST endpoints">
      <List
        label="REST endpoints"
        heads={['Name', 'Methods', 'URL', 'Query']}
        rows={endpoints.map(({ name, methods, url, definition: { query } }) => ({
          key: name,
          cells: [
            name,
            methods.join(', '),
            <code key="url">/api/rest/{url}</code>,
            `${query.query_name} of ${query.collection_name}`,
          ],
        }))}
      />
    </Section>
  )
}
