import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKeptText } from '../../base/kept-form.ts'
import { readObject } from '../../base/objects.ts'
import { useStore } from '../../base/store.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { DraftNote } from '../../parts/draft-note.tsx'
import { Field } from '../../parts/field.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useEdit } from '../../parts/use-edit.ts'
import { readOnly } from '../../requests/mode.ts'
import type { Operation } from '../../server/operations.ts'
import { type Metadata, metadataQuery } from '../../server/queries.ts'
import css from './govern.module.css'

type Limits = Readonly<Record<string, { readonly global?: number; readonly [key: string]: unknown }>>

/** The kinds of limits that are one number. */
const kinds = {
  depth_limit: ['Depth', 'levels of fields'],
  node_limit: ['Nodes', 'fields with a selection'],
  alias_limit: ['Aliases', 'fields with an alias'],
  batch_limit: ['Batch', 'operations of a request'],
  time_limit: ['Time', 'seconds'],
} as const

const textOf = (limits: unknown): string => JSON.stringify(limits ?? {}, null, 2)

/** Limits of all roles but the administrator: the global numbers as fields, everything as JSON. */
export function LimitsSection() {
  const metadata = useQuery(metadataQuery)
  if (metadata.isPending) return <Loading label="Reading the limits" queryKey={metadataQuery.queryKey} />
  if (!metadata.data) return <Failed error={metadata.error} onRetry={() => void metadata.refetch()} />
  return <LimitsForm metadata={metadata.data} />
}

function LimitsForm({ metadata }: { readonly metadata: Metadata }) {
  const canEdit = useStore(readOnly) === null
  const saved = textOf(metadata.metadata['api_limits'])
  const { text, change: setText, draft } = useKeptText('limits', saved, { follows: true })
  const [base, setBase] = useState(metadata)
  const { isBusy, error, save } = useEdit()
  const limits = readObject(text) as Limits | null
  const change = (next: string) => {
    if (text === saved) setBase(metadata)
    setText(next)
  }
  const setGlobal = (kind: string, value: string) => {
    const { [kind]: old, ...others } = limits ?? {}
    const { global: _, ...rest } = old ?? {}
    const global = value === '' ? {} : { global: Number(value) }
    const next = { ...global, ...rest }
    change(textOf(Object.keys(next).length === 0 ? others : { ...others, [kind]: next }))
  }
  const submit = async () => {
    const isEmpty = Object.keys(limits ?? {}).length === 0
    const operation: Operation = isEmpty
      ? { type: 'remove_api_limits', args: {} }
      : { type: 'set_api_limits', args: limits }
    const part = (all: Metadata) => all.metadata['api_limits'] ?? null
    const change = { title: 'Set the limits', operations: [operation], base, part, mine: limits }
    if (await save({ ...change, done: 'Saved the limits' })) draft.forget()
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={css['scroll']} aria-label="Limits, scrolls" tabIndex={0}>
      <p className={css['lead']}>
        They hold for every role but the administrator, beside those of the option <code>--api-limits</code>; the
        stricter one counts. An empty field limits nothing.
      </p>
      <DraftNote draft={draft} />
      <div className={css['fields']}>
        {Object.entries(kinds).map(([kind, [label, help]]) => (
          <Field
            key={kind}
            label={label}
            help={help}
            type="number"
            min={1}
            disabled={!canEdit || limits === null}
            value={limits?.[kind]?.global ?? ''}
            onChange={(event) => setGlobal(kind, event.target.value)}
          />
        ))}
      </div>
      <h2 className={css['heading']}>All limits, with those of roles and rates</h2>
      <Code label="Limits" language="json" value={text} {...(canEdit && { onChange: change })} />
      {error !== null && <Failed error={error} />}
      {canEdit && (
        <div className={css['buttons']}>
          <Button disabled={text === saved} onClick={draft.forget}>
            Discard
          </Button>
          <Button
            look="main"
            isBusy={isBusy}
            disabled={text === saved || limits === null}
            onClick={() => void submit()}
          >
            Save limits
          </Button>
        </div>
      )}
    </section>
  )
}
